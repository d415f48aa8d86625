import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { UncertainChange } from '#domain/tools/uncertain-change.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { SmallDisk } from '#test/harness/outages/small-disk.ts'
import { moveFile, removeFile, replaceFile } from './change-file.ts'
import { openDirectory, plainWalk, type Directory } from './open-directory.ts'
import { openWorkspace, type OpenWorkspace } from './workspace.ts'

const oldText = 'old\n'
const oldHash = hashBytes(oldText)
let root: string

beforeEach(() => {
  root = newFolder('failed-changes-')
  writeFileSync(path.join(root, 'a.txt'), oldText)
})

const openRoot = (): Promise<Directory> =>
  openDirectory({ ...plainWalk(root), naming: 'path' }, [], false)

// Rules: security.md 10; product.md 12
test.each(['write', 'new file', 'removal', 'move'] as const)(
  'a folder that cannot be flushed after a %s is no refusal, since the change was made',
  async (change) => {
    const directory = await openRoot()
    const place = (name: string) => ({ directory, name, at: name })
    // The last step before the change; what follows finds no open folder.
    const confirm = (): Promise<void> => directory.handle.close()
    const text = Buffer.from('new\n')
    const changing = {
      write: () => replaceFile(place('a.txt'), text, oldHash, confirm),
      'new file': () => replaceFile(place('b.txt'), text, 'absent', confirm),
      removal: () => removeFile(place('a.txt'), oldHash, confirm),
      move: () => {
        const expected = { from: oldHash, to: 'absent' }
        return moveFile(place('a.txt'), place('b.txt'), expected, confirm)
      },
    }
    const failure: unknown = await changing[change]().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UncertainChange)
    expect(String(failure)).toContain('was changed, and may not stay so')
    const names = { write: ['a.txt'], 'new file': ['a.txt', 'b.txt'], removal: [], move: ['b.txt'] }
    expect(readdirSync(root)).toEqual(names[change])
  },
)

describe('a folder that lets nothing go', () => {
  /** Makes the folder `kept` with a file, lets nothing go from it, and runs `work`. */
  async function whileAppendOnly(
    skip: (note: string) => void,
    work: (workspace: OpenWorkspace, kept: string) => Promise<void>,
  ): Promise<void> {
    const workspace = await openWorkspace({ root, hidden: [] })
    await workspace.write('kept/a.txt', Buffer.from(oldText), 'absent')
    const kept = path.join(root, 'kept')
    try {
      execFileSync('chattr', ['+a', kept], { stdio: 'ignore' })
    } catch {
      return skip('this machine has no append-only folders')
    }
    try {
      await work(workspace, kept)
      expect(readFileSync(path.join(kept, 'a.txt'), 'utf8')).toBe(oldText)
    } finally {
      execFileSync('chattr', ['-a', kept])
    }
  }

  test('is left with all its files by a move out of it', ({ skip }) =>
    whileAppendOnly(skip, async (workspace) => {
      const move = workspace.move('kept/a.txt', 'b.txt', { from: oldHash, to: 'absent' })
      await expect(move).rejects.toThrow('the operating system denies it')
      expect(existsSync(path.join(root, 'b.txt'))).toBe(false)
    }))

  test('refuses each change with a sentence, and is left with one lock file', ({ skip }) =>
    whileAppendOnly(skip, async (workspace, kept) => {
      const text = Buffer.from('new\n')
      const changes = [
        () => workspace.write('kept/a.txt', text, oldHash),
        () => workspace.write('kept/b.txt', text, 'absent'),
        () => workspace.write('kept/c.txt', text, 'absent'),
        () => workspace.remove('kept/a.txt', oldHash),
      ]
      for (const change of [...changes, ...changes]) {
        await expect(change()).rejects.toMatchObject({
          code: 'io',
          message: expect.stringContaining('the operating system denies it'),
        })
      }
      const own = readdirSync(kept).filter((name) => name !== 'a.txt')
      expect(own).toEqual([expect.stringMatching(/^[.]countersign-/)])
    }))
})

test('a change that is refused leaves none of the folders that it made, and those of others', async () => {
  const workspace = await openWorkspace({ root, hidden: [] })
  const text = Buffer.from('new\n')
  const refused = { code: 'stale' }
  await expect(workspace.write('a/b/c.txt', text, oldHash)).rejects.toMatchObject(refused)
  const expected = { from: hashBytes('other'), to: 'absent' }
  await expect(workspace.move('a.txt', 'd/e/f.txt', expected)).rejects.toMatchObject(refused)
  expect(readdirSync(root)).toEqual(['a.txt'])
  mkdirSync(path.join(root, 'mine'))
  await expect(workspace.write('mine/b/c.txt', text, oldHash)).rejects.toMatchObject(refused)
  expect(readdirSync(path.join(root, 'mine'))).toEqual([])
  const changes = [oldHash, 'absent'].map((base, index) =>
    workspace.write(`same/deep/${index}.txt`, text, base),
  )
  const outcomes = await Promise.allSettled(changes)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(readdirSync(path.join(root, 'same/deep'))).toEqual(['1.txt'])
})

test('a write to a full disk is refused, and the old file stays whole', async ({ skip }) => {
  const folder = path.join(root, 'disk')
  await using disk = await SmallDisk.at(folder)
  if (disk === null) return skip('this machine permits no mount')
  const whole = 'x'.repeat(100_000)
  writeFileSync(path.join(folder, 'a.txt'), whole)
  const workspace = await openWorkspace({ root: folder, hidden: [] })
  const text = Buffer.from('y'.repeat(100_000))
  await disk.whileFull(async () => {
    for (const [at, expected] of [
      ['a.txt', hashBytes(whole)],
      ['b.txt', 'absent'],
      ['new/b.txt', 'absent'],
    ] as const) {
      await expect(workspace.write(at, text, expected)).rejects.toThrow('the disk is full')
    }
  })
  expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe(whole)
  expect(readdirSync(folder)).toEqual(['a.txt'])
  await workspace.write('a.txt', text, hashBytes(whole))
  expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe(text.toString())
})
