import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '#domain/limits.ts'
import { hostilePaths } from '../fixtures/hostile-paths.fixture.ts'
import { foldPathName, parsePath } from './path-names.ts'

// Rules: security.md 11
describe('parsePath', () => {
  it.each([
    ['', ''],
    ['.', ''],
    ['./', ''],
    ['notes', 'notes'],
    ['notes/', 'notes'],
    ['./notes/1.2.md', 'notes/1.2.md'],
    ['a b/ü.md', 'a b/ü.md'],
    ['日本/メモ.md', '日本/メモ.md'],
    ['.gitignore', '.gitignore'],
    ['~/x', '~/x'],
  ])('gives %j its canonical spelling', (text, path) => {
    expect(parsePath(text)).toMatchObject({ ok: true, path })
  })

  it.each(hostilePaths)('refuses %j', (path) => {
    expect(parsePath(path)).toMatchObject({ ok: false })
  })

  it('refuses a path beyond the limits, and accepts one that just fits', () => {
    expect(parsePath('a'.repeat(limits.componentBytes)).ok).toBe(true)
    expect(parsePath('a'.repeat(limits.componentBytes + 1)).ok).toBe(false)
    expect(parsePath(Array(limits.pathComponents).fill('a').join('/')).ok).toBe(true)
    expect(
      parsePath(
        Array(limits.pathComponents + 1)
          .fill('a')
          .join('/'),
      ).ok,
    ).toBe(false)
    expect(parsePath(`${'a/'.repeat(40)}${'é'.repeat(500)}`).ok).toBe(false)
  })

  it('never throws, and what it accepts it accepts again as the same path without dot-dot', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', '.', '/', './', 'a', 'é', '\u202e'),
    )
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const parsed = parsePath(parts.join(''))
        if (!parsed.ok) return
        expect(parsePath(parsed.path)).toEqual(parsed)
        expect(parsed.path.startsWith('/')).toBe(false)
        expect(parsed.components).not.toContain('..')
        expect(parsed.components).not.toContain('')
      }),
      { numRuns: 5000 },
    )
  })

  it('never repeats an invisible character in its sentence', () => {
    for (const path of hostilePaths) {
      const parsed = parsePath(path)
      expect(parsed.ok ? '' : parsed.problem).not.toMatch(
        /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u,
      )
    }
  })
})

// Rules: security.md 11
describe('foldPathName', () => {
  it.each([
    ['README', 'readme'],
    ['straße', 'STRASSE'],
    ['ﬁle', 'FILE'],
    ['K', 'k'],
    ['Å', 'å'],
    ['ｅｎｖ', 'ENV'],
  ])('takes %s for %s', (left, right) => {
    expect(foldPathName(left)).toBe(foldPathName(right))
  })

  it('keeps different names apart', () => {
    expect(foldPathName('a')).not.toBe(foldPathName('b'))
  })
})
