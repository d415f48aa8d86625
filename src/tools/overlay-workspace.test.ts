import { describe, expect, it } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { overlayWorkspace } from './overlay-workspace.ts'
import { workspaceWith } from './workspace.fixture.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('overlayWorkspace', () => {
  it('shows the writes, removals and new folders of earlier calls, and the rest unchanged', async () => {
    using place = await workspaceWith({ 'a.md': 'a', 'b.md': 'b', 'n/c.md': 'c' })
    const proposals = new Map([
      ['a.md', bytes('new')],
      ['b.md', null],
      ['deep/er/d.md', bytes('d')],
    ])
    const overlay = overlayWorkspace(place.workspace, proposals)
    expect(await overlay.state('a.md', { hash: true })).toEqual({
      kind: 'file',
      bytes: 3,
      hash: hashBytes('new'),
    })
    expect(await overlay.state('b.md')).toEqual({ kind: 'absent', bytes: 0 })
    expect(await overlay.state('deep')).toMatchObject({ kind: 'directory' })
    expect(await overlay.state('n/c.md', { hash: true })).toMatchObject({ hash: hashBytes('c') })
    expect(Buffer.from(await overlay.read('a.md', { maxBytes: 9 })).toString()).toBe('new')
    expect(await overlay.read('a.md', { maxBytes: 2, start: 2 })).toHaveLength(1)
    await expect(overlay.read('a.md', { maxBytes: 2 })).rejects.toMatchObject({ code: 'too_large' })
    await expect(overlay.read('b.md', { maxBytes: 9 })).rejects.toMatchObject({ code: 'not_found' })
    const names = async (at: string) =>
      (await overlay.list(at, { maxEntries: 9 })).map((entry) => entry.name)
    expect(await names('')).toEqual(['a.md', 'deep', 'n'])
    expect(await names('deep/er')).toEqual(['d.md'])
    await expect(overlay.list('none', { maxEntries: 9 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('sees a clash with a name that an earlier call makes', async () => {
    using place = await workspaceWith({})
    const overlay = overlayWorkspace(place.workspace, new Map([['n/A.md', bytes('')]]))
    expect(await overlay.state('n/a.md', { clash: true })).toMatchObject({ clash: 'A.md' })
    expect(await overlay.state('N/b.md', { clash: true })).toMatchObject({ clash: 'n' })
    expect(await overlay.state('n/A.md', { clash: true })).not.toHaveProperty('clash')
  })

  it('cannot be written through, and still refuses hidden and hostile names', async () => {
    using place = await workspaceWith({})
    const overlay = overlayWorkspace(place.workspace, new Map([['../x', bytes('')]]))
    await expect(overlay.write('a', bytes(''), 'absent')).rejects.toThrow(/cannot be changed/)
    await expect(overlay.remove('a', '')).rejects.toThrow(/cannot be changed/)
    await expect(overlay.state('.countersign/x')).rejects.toMatchObject({ code: 'hidden' })
    await expect(overlay.state('../x')).rejects.toMatchObject({ code: 'invalid_name' })
  })
})
