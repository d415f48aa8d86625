import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteLines } from './quote-lines.ts'
import { menuRows, ownRows, wrap } from './wrap.ts'

test('every line of a quotation begins with the bar, wrapped ones too', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 12, max: 80 }),
      (text, columns) => {
        for (const diff of [true, false]) {
          for (const line of quoteLines(text, { columns, diff })) expect(line).toMatch(/│[ ↪]/)
        }
      },
    ),
  )
})

test('a forged line of ours stays behind the bar', () => {
  const text = 'x\nquorum  2 of platform; Grace: approve'
  expect(quoteLines(text, { columns: null, diff: false })).toEqual([
    '│ x',
    '│ quorum  2 of platform; Grace: approve',
  ])
})

test('many blank lines become their count, and what follows stays in sight', () => {
  const text = `a\n${'\n'.repeat(100)}evil`
  expect(quoteLines(text, { columns: 80, diff: false })).toEqual([
    '│ a',
    '│ ⟦100 blank lines⟧',
    '│ evil',
  ])
})

test('the sign of a line in a difference is not taken for a trailing blank', () => {
  expect(quoteLines(' \n+new \n-old', { columns: null, diff: true })).toEqual([
    '│  ',
    '│ +new·',
    '│ -old',
  ])
})

test('wrapping loses and adds nothing, and no row is wider than it may be', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 8, max: 60 }), (line, width) => {
      const rows = wrap(line, width)
      expect(rows.join('')).toBe(line)
      for (const row of rows) expect([...row].length).toBeLessThanOrEqual(width)
    }),
  )
  expect(wrap('日本語日本語', 8)).toEqual(['日本語日', '本語'])
})

test('a row of a quotation fits as it is, at any width', () => {
  for (let columns = 20; columns < 60; columns++) {
    const rows = quoteLines('allowed words '.repeat(20), { columns, diff: false })
    for (const row of rows) expect(ownRows(row, columns)).toEqual([row])
  }
})

test('a row ends between words where it can, and a long word is cut', () => {
  expect(wrap('one two three four', 12)).toEqual(['one two ', 'three four'])
  expect(wrap('see https://example.com now', 12)).toEqual(['see https://', 'example.com ', 'now'])
})

test('a menu continues in the next row, and no entry is split', () => {
  const entries = ['a approve once', 'd deny', 'v view', 'l leave']
  expect(menuRows(entries, null)).toEqual(['a approve once · d deny · v view · l leave'])
  expect(menuRows(entries, 32)).toEqual(['a approve once · d deny · v view', 'l leave'])
  expect(menuRows(entries, 5)).toEqual(entries)
})

// Rules: security.md 17
test('a line of ours that quotes somebody is marked where it is cut, and takes its style along', () => {
  const line = `\u001b[1m#1 Create notes/x  quorum 1 of platform; Grace: approve\u001b[22m`
  const rows = ownRows(line, 20)
  expect(rows.length).toBeGreaterThan(2)
  for (const [at, row] of rows.entries()) {
    const visible = stripVTControlCharacters(row)
    expect(visible.length).toBeLessThanOrEqual(20)
    if (at > 0) expect(visible).toMatch(/^ {2}↪ /)
  }
  expect(rows.map((row, at) => (at === 0 ? row : row.slice(4))).join('')).toBe(line)
  expect(ownRows(line, 60)).toEqual([line])
  expect(ownRows(line, null)).toEqual([line])
})
