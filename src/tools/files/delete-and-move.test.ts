import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { execute, present, problemsOf, workspaceWith } from '../workspace.fixture.ts'
import { deleteFile } from './delete-file.ts'
import { moveFile } from './move-file.ts'

const stale = expect.objectContaining({ name: 'WorkspaceProblem', code: 'stale' })

describe('delete_file', () => {
  it('shows what is removed, and removes exactly that', async () => {
    using place = await workspaceWith({ 'a.md': 'x\ny\n', 'b.md': 'y' })
    const call = await present(deleteFile, place.workspace, { path: 'a.md' })
    expect(call.title).toBe('Delete a.md (−2)')
    expect(call.presentation.content).toContain(
      '--- a/a.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n',
    )
    await execute(deleteFile, place.workspace, { path: 'a.md' }, call.facts)
    expect(existsSync(path.join(place.root, 'a.md'))).toBe(false)
    const { facts } = await present(deleteFile, place.workspace, { path: 'b.md' })
    place.put('b.md', 'other')
    await expect(execute(deleteFile, place.workspace, { path: 'b.md' }, facts)).rejects.toEqual(
      stale,
    )
    expect((await execute(deleteFile, place.workspace, { path: 'none' })).type).toBe('error')
  })
})

describe('move_file', () => {
  it('records the base of both paths and moves exactly the file that was shown', async () => {
    using place = await workspaceWith({ 'a.md': 'x\n' })
    const input = { from: 'a.md', to: 'deep/b.md' }
    const call = await present(moveFile, place.workspace, input)
    expect(call.title).toBe('Move a.md → deep/b.md')
    expect(call.facts.bases).toEqual([
      { path: 'a.md', hash: hashBytes('x\n') },
      { path: 'deep/b.md', hash: 'absent' },
    ])
    expect(call.proposes?.get('a.md')).toBeNull()
    await execute(moveFile, place.workspace, input, call.facts)
    expect(place.text('deep/b.md')).toBe('x\n')
  })

  it('shows the lost content of a replaced file, and is stale when either path has changed', async () => {
    using place = await workspaceWith({ 'a.md': 'x\n', 'b.md': 'y\n' })
    const input = { from: 'a.md', to: 'b.md' }
    const call = await present(moveFile, place.workspace, input)
    expect(call.presentation).toMatchObject({
      type: 'diff',
      metadata: { from: 'a.md', to: 'b.md' },
    })
    expect(call.presentation.warnings[0]).toMatch(/^It replaces b\.md/)
    place.put('b.md', 'z\n')
    await expect(execute(moveFile, place.workspace, input, call.facts)).rejects.toEqual(stale)
    expect(place.text('b.md')).toBe('z\n')
  })

  it('refuses the same path, and may change the case of a name', async () => {
    using place = await workspaceWith({ 'readme.md': 'x' })
    await problemsOf(moveFile, { from: 'a', to: './a' })
    const input = { from: 'readme.md', to: 'README.md' }
    const { facts } = await present(moveFile, place.workspace, input)
    expect((await execute(moveFile, place.workspace, input, facts)).type).toBe('output')
  })
})
