import { describe, expect, it } from 'vitest'
import { limits } from '#domain/limits.ts'
import { overlayWorkspace } from '../overlay-workspace.ts'
import { execute, present, workspaceWith } from '../workspace.fixture.ts'
import { editFile } from './edit-file.ts'
import { writeFile } from './write-file.ts'

const stale = expect.objectContaining({ name: 'WorkspaceProblem', code: 'stale' })

describe('edit_file', () => {
  it('applies edits in order and shows the diff of the result', async () => {
    using place = await workspaceWith({ 'a.ts': 'one\ntwo\nthree\n' })
    const input = {
      path: 'a.ts',
      edits: [
        { find: 'two', replace: 'TWO' },
        { find: 'TWO\nthree', replace: '2\n3' },
      ],
    }
    const call = await present(editFile, place.workspace, input)
    expect(call.title).toBe('Edit a.ts (+2 −2)')
    expect(call.presentation.language).toBe('typescript')
    await execute(editFile, place.workspace, input, call.facts)
    expect(place.text('a.ts')).toBe('one\n2\n3\n')
  })

  // Rules: product.md 4
  it.each([
    ['occurs never', 'four', /Edit 1 of 1: .* does not occur/],
    ['occurs twice', 'o', /more than once \(on lines 1 and 2, at least\)/],
    ['overlaps itself', 'xx', /more than once/],
  ])('is an error, not a request, when a find %s', async (_, find, message) => {
    using place = await workspaceWith({ 'a.md': 'one\ntwo\nxxx\n' })
    const input = { path: 'a.md', edits: [{ find, replace: '' }] }
    await expect(present(editFile, place.workspace, input)).rejects.toMatchObject({
      name: 'ToolProblem',
      message: expect.stringMatching(message) as string,
    })
    expect((await execute(editFile, place.workspace, input)).type).toBe('error')
    expect(place.text('a.md')).toBe('one\ntwo\nxxx\n')
  })

  it('is an error for files that are not text, absent, or too large', async () => {
    using place = await workspaceWith({
      bin: Buffer.from([0, 1, 2]),
      huge: Buffer.alloc(limits.writeBytes + 1, 'a'),
    })
    for (const at of ['bin', 'huge', 'none']) {
      const input = { path: at, edits: [{ find: 'a', replace: 'b' }] }
      await expect(present(editFile, place.workspace, input)).rejects.toThrow(
        /not a text file|8388608|does not exist/,
      )
      expect((await execute(editFile, place.workspace, input)).type).toBe('error')
    }
  })

  it('is an error for a file that is absent when its call begins, and stale if it appears then', async () => {
    using place = await workspaceWith({ 'a.md': 'one\n' })
    const edits = [{ find: 'one', replace: '1' }]
    const begunAt = (path: string) => ({ toolHash: '', bases: [{ path, hash: 'absent' }] })
    const input = { path: 'none.md', edits }
    expect(await execute(editFile, place.workspace, input, begunAt('none.md'))).toMatchObject({
      type: 'error',
      text: expect.stringContaining('does not exist') as string,
    })
    const appeared = execute(editFile, place.workspace, { path: 'a.md', edits }, begunAt('a.md'))
    await expect(appeared).rejects.toEqual(stale)
  })

  it('is stale on another base, even one on which the edits would fit', async () => {
    using place = await workspaceWith({ 'a.md': 'one\ntwo\n' })
    const input = { path: 'a.md', edits: [{ find: 'two', replace: '2' }] }
    const { facts } = await present(editFile, place.workspace, input)
    place.put('a.md', 'evil\ntwo\n')
    await expect(execute(editFile, place.workspace, input, facts)).rejects.toEqual(stale)
    expect(place.text('a.md')).toBe('evil\ntwo\n')
  })

  // Rules: product.md 15
  it('is shown as a change to the result of earlier calls of the turn', async () => {
    using place = await workspaceWith({})
    const first = await present(writeFile, place.workspace, { path: 'n.md', content: 'a\nb\n' })
    const overlay = overlayWorkspace(place.workspace, first.proposes!)
    const input = { path: 'n.md', edits: [{ find: 'b', replace: 'B' }] }
    const second = await present(editFile, overlay, input)
    expect(second.facts.bases).toEqual([{ path: 'n.md', hash: first.facts.newHash }])
    await expect(execute(editFile, place.workspace, input, second.facts)).rejects.toEqual(stale)
    await execute(writeFile, place.workspace, { path: 'n.md', content: 'a\nb\n' }, first.facts)
    await execute(editFile, place.workspace, input, second.facts)
    expect(place.text('n.md')).toBe('a\nB\n')
  })
})
