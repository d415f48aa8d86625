import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import {
  base,
  bytes,
  outside,
  problem,
  root,
  useWorkspace,
  workspace,
} from './fixtures/workspace.fixture.ts'

useWorkspace()

describe('a look at many paths', () => {
  /** Folders and files of the workspace that this process has open. */
  const openFolders = (): string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      const target = existsSync(`/proc/self/fd/${fd}`) ? readlinkSync(`/proc/self/fd/${fd}`) : ''
      return target.startsWith(root) ? [target] : []
    })

  it('finds what the workspace finds, and refuses what it refuses', async () => {
    symlinkSync(outside, path.join(root, 'link'))
    await workspace.look(async (look) => {
      for (let time = 0; time < 2; time += 1) {
        const options = { hash: true, clash: true }
        expect(await look.state('notes/a.md', options)).toEqual({
          kind: 'file',
          bytes: 4,
          hash: hashBytes('one\n'),
        })
        expect(await look.state('notes/A.md', options)).toMatchObject({ clash: 'a.md' })
        expect(await look.state('nowhere/a.md')).toEqual({ kind: 'absent', bytes: 0 })
        expect(await look.read('notes/a.md', { maxBytes: 10 })).toEqual(bytes('one\n'))
        expect(await look.list('', { maxEntries: 10 })).toEqual(
          await workspace.list('', { maxEntries: 10 }),
        )
        await expect(look.read('link/secret.txt', { maxBytes: 10 })).rejects.toEqual(
          problem('is_a_link'),
        )
        await expect(look.state('.countersign/key')).rejects.toEqual(problem('hidden'))
      }
    })
  })

  it.runIf(process.platform === 'linux')(
    'opens each folder once, and has none open afterwards, not even when it fails',
    async () => {
      const notes = path.join(root, 'notes')
      const failing = workspace.look(async (look) => {
        await Promise.all([look.state('notes/a.md'), look.state('notes/b.md')])
        expect(openFolders()).toEqual([notes])
        renameSync(notes, path.join(base, 'moved'))
        expect((await look.state('notes/a.md', { clash: true })).kind).toBe('file')
        expect((await workspace.state('notes/a.md')).kind).toBe('absent')
        throw new Error('enough')
      })
      await expect(failing).rejects.toThrow('enough')
      expect(openFolders()).toEqual([])
    },
  )

  it('finds the same at a path whenever it is asked, and reads a path that it had not looked at before', async () => {
    await workspace.look(async (look) => {
      expect((await look.state('new/a.md')).kind).toBe('absent')
      await workspace.write('new/a.md', bytes('x'), 'absent')
      await workspace.write('new/b.md', bytes('x'), 'absent')
      expect((await look.state('new/a.md')).kind).toBe('absent')
      expect((await look.state('new/b.md')).kind).toBe('file')
    })
    expect((await workspace.state('new/a.md')).kind).toBe('file')
  })

  it('holds no more than 64 folders open, however many it looks into', async () => {
    const folders = Array.from({ length: 80 }, (_, index) => `folder-${index}`)
    for (const folder of folders) mkdirSync(path.join(root, folder))
    await workspace.look(async (look) => {
      for (const folder of folders) {
        expect((await look.state(`${folder}/a.md`)).kind).toBe('absent')
      }
      if (process.platform === 'linux') expect(openFolders()).toHaveLength(64)
    })
  })

  it('cannot change anything', async () => {
    await workspace.look(async (look) => {
      const hash = hashBytes('one\n')
      await expect(look.write('notes/b.md', bytes('x'), 'absent')).rejects.toThrow(TypeError)
      await expect(look.remove('notes/a.md', hash)).rejects.toThrow(TypeError)
      await expect(
        look.move('notes/a.md', 'notes/b.md', { from: hash, to: 'absent' }),
      ).rejects.toThrow(TypeError)
    })
    expect(readdirSync(path.join(root, 'notes'))).toEqual(['a.md'])
  })
})
