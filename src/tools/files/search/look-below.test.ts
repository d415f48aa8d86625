import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ReadingBounds } from './may-read.ts'
import { execute, problemsOf, workspaceWith } from '../../workspace.fixture.ts'
import { listFiles } from '../list-files.ts'
import { searchFiles } from '../search-files.ts'
import { lookBelow } from './look-below.ts'

const bounds: ReadingBounds = {
  worker: 'w',
  queue: null,
  zones: [{ root: '', suffixes: null }],
  overlays: [],
}

// Rules: security.md 27
describe('a search below a folder', () => {
  it('with thirty pairs of `*?` against an ordinary name ends at once', async () => {
    using place = await workspaceWith({ 'an-ordinary-file-name.test.ts': 'x', 'n/b.md': 'x' })
    for (const glob of ['*?'.repeat(30), '*?'.repeat(128), `${'*?'.repeat(60)}/*`]) {
      const listed = await execute(listFiles(bounds), place.workspace, { path: '.', glob })
      expect(listed.text, glob).toBe('[nothing matches]')
      const searched = await execute(searchFiles(bounds), place.workspace, { pattern: 'x', glob })
      expect(searched.text, glob).toBe('[0 matching lines in 0 files]')
    }
  })

  it('refuses a glob that cannot be read, with a sentence', async () => {
    expect(await problemsOf(listFiles(bounds), { path: '.', glob: '!(a)' })).toMatch(
      /glob cannot be read: .*not supported/,
    )
  })

  it('does not block the event loop, however many files there are', async () => {
    using place = await workspaceWith({})
    for (let folder = 0; folder < 20; folder += 1) {
      mkdirSync(path.join(place.root, `${folder}`))
      for (let file = 0; file < 50; file += 1) {
        writeFileSync(path.join(place.root, `${folder}`, `${file}.md`), 'alpha\n')
      }
    }
    const before = process.threadCpuUsage()
    const [listed, searched] = await Promise.all([
      execute(listFiles(bounds), place.workspace, { path: '.', glob: '*.none' }),
      execute(searchFiles(bounds), place.workspace, { pattern: 'beta' }),
    ])
    const { user, system } = process.threadCpuUsage(before)
    expect(listed.text).toBe('[nothing matches]')
    expect(searched.text).toBe('[0 matching lines in 1,000 files]')
    // All threads together take about 700 ms.
    expect((user + system) / 1000).toBeLessThan(350)
  })

  it('that is cancelled ends its thread, and one that waits for its turn never begins', async () => {
    using place = await workspaceWith({ 'a.md': 'x' })
    const reason = new Error('the run was cancelled')
    const looks = Array.from({ length: 20 }, () => {
      const stop = new AbortController()
      const { signal } = stop
      const look = lookBelow(
        { do: 'list' },
        { workspace: place.workspace, folder: '', bounds, signal },
      )
      stop.abort(reason)
      return look
    })
    const outcomes = await Promise.allSettled(looks)
    expect(outcomes).toEqual(looks.map(() => ({ status: 'rejected', reason })))
    const { results: found } = await lookBelow(
      { do: 'list' },
      { workspace: place.workspace, folder: '', bounds, signal: new AbortController().signal },
    )
    expect(found).toEqual([{ path: 'a.md', kind: 'file', bytes: 1 }])
  })
})
