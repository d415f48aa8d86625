import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { compileGlob, globBase } from './compile-glob.ts'

function matches(glob: string, text: string, byName = false): boolean {
  const compiled = compileGlob(glob, { byName })
  if (!compiled.ok) throw new Error(compiled.problem)
  return compiled.matches(text)
}

// Rules: security.md 27
describe('a glob', () => {
  it.each([
    ['*.md', 'a.md', true],
    ['*.md', 'n/a.md', false],
    ['*', '.hidden', true],
    ['**', 'a/b/.c', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['infra/**', 'infra', true],
    ['infra/**', 'infra/a/b', true],
    ['infra/**', 'infrastructure', false],
    ['infra/*', 'infra/a/b', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a**b', 'a/b', false],
    ['{docs,notes}/**/*.{md,txt}', 'notes/deep/a.txt', true],
    ['{a,{b,c}}', 'c', true],
    ['{a}', '{a}', true],
    ['file{1..12}', 'file10', true],
    ['file{1..12}', 'file13', false],
    ['[!a-c]x', 'dx', true],
    ['[!a-c]x', 'ax', false],
    ['[^/]', '/', false],
    ['[]]', ']', true],
    ['[', '[', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['app/(auth)/*.tsx', 'app/(auth)/page.tsx', true],
    ['(a|b)', 'b', true],
    ['@(a|b).md', 'b.md', true],
    ['*(ab)', 'abab', true],
    ['+(a)', 'b', false],
    ['!docs/**', 'docs/a', false],
    ['!docs/**', 'src/a', true],
    ['a.b', 'axb', false],
    ['a$^b', 'a$^b', true],
    ['ä?', 'ä😀', true],
    ['*', 'a\nb', true],
    ['*', '', false],
  ])('%s and %j: %s', (glob, text, expected) => {
    expect(matches(glob, text)).toBe(expected)
  })

  it('without a slash is matched against the last name if `byName` is set', () => {
    expect(matches('*.md', 'n/deep/a.md', true)).toBe(true)
    expect(matches('n/*.md', 'n/deep/a.md', true)).toBe(false)
  })

  it.each([
    ['!(a)', /not supported/],
    ['[z-a]', /backwards/],
    ['{1..100000}', /at most 100/],
    ['{a..5}', /no stretch/],
  ])('%s is refused with a sentence', (glob, problem) => {
    expect(compileGlob(glob, { byName: false })).toEqual({
      ok: false,
      problem: expect.stringMatching(problem),
    })
  })

  it('matches as in picomatch, for every plain glob of a few characters', () => {
    const parts = ['a', '*', '?', '/', '**/', '{a,b}']
    const texts = ['a', 'b', 'ab', '.a', 'a/b', 'a/.b', 'b/a/b', 'a.b', 'aa/ab', 'ba']
    const different: string[] = []
    for (let number = 0; number < parts.length ** 4; number += 1) {
      const glob = [...number.toString(parts.length).padStart(4, '0')]
        .map((digit) => parts[Number(digit)])
        .join('')
      // Paths are canonical: these globs can match none, and what stands for stars in names varies.
      if (/^\.?\/|\/\/|\/$|\*\*|(^|\/)\.\.?(\/|$)/.test(glob.replace(/(^|\/)\*\*\//g, '$1')))
        continue
      const theirs = picomatch(glob, { dot: true })
      for (const text of texts)
        if (theirs(text) !== matches(glob, text)) different.push(`${glob} ${text}`)
    }
    expect(different).toEqual([])
  })

  const evil: readonly (readonly [string, string])[] = [
    ['*?'.repeat(30), 'an-ordinary-file-name.test.ts'.repeat(8)],
    ['*a'.repeat(128), 'a'.repeat(255)],
    ['**/'.repeat(85), 'a/'.repeat(511)],
    ['{a,b}'.repeat(51), 'ab'.repeat(500)],
    ['*(*(*(*(a))))', `${'a'.repeat(1000)}b`],
    [`${'{'.repeat(80)}${',a}'.repeat(58)}`, 'a'.repeat(1000)],
    [`+(${'a|a?|'.repeat(40)}b)`, `${'a'.repeat(1000)}c`],
    ['[a-z]*'.repeat(42), 'q'.repeat(1024)],
    ['({['.repeat(85), '({['.repeat(300)],
  ]
  it.each(evil)('%# is compiled and matched without backtracking', (glob, text) => {
    const begun = process.threadCpuUsage()
    const compiled = compileGlob(glob, { byName: false })
    if (compiled.ok) compiled.matches(text)
    // Microseconds of the processor: an engine that backtracks needs minutes.
    expect(process.threadCpuUsage(begun).user).toBeLessThan(2_000_000)
  })
})

describe('globBase', () => {
  it.each([
    ['infra/**', 'infra', '**'],
    ['a/b*/c', 'a', 'b*/c'],
    ['a/b', 'a/b', ''],
    ['*.md', '', '*.md'],
    ['!infra/**', '', '!infra/**'],
  ])('%s lies in %j', (glob, base, rest) => {
    expect(globBase(glob)).toEqual({ base, rest })
  })
})
