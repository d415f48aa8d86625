import { afterEach, expect, test } from 'vitest'
import { table } from './table.ts'

const { isTTY, columns } = process.stdout
afterEach(() => Object.assign(process.stdout, { isTTY, columns }))

const id = '01a21ef2-e623-735a-948a-665f73f00a9f'
const rows = [
  [id, `Create a file  #9 ${'approved by Grace '.repeat(4)}`, '日本語 a'],
  ['b', 'c', 'd'],
]

function printed(width: number | null): string[] {
  Object.assign(process.stdout, { isTTY: width !== null, columns: width ?? undefined })
  return table(['id', 'title', 'name'], rows, 'None.').split('\n')
}

test('a pipe gets every cell whole, in columns that wide characters do not shift', () => {
  const [head = '', first = ''] = printed(null)
  expect(first).toContain('approved by Grace approved by Grace')
  expect(first.endsWith('日本語 a')).toBe(true)
  expect(head.indexOf('NAME')).toBe(first.indexOf('日'))
})

// Rules: security.md 17
test('at a terminal a sentence is cut to fit, and no row begins with text that somebody else wrote', () => {
  expect(printed(80)).toHaveLength(3)
  for (const row of printed(80)) expect(row.length).toBeLessThanOrEqual(80)
  const narrow = printed(40)
  expect(narrow.length).toBeGreaterThan(3)
  expect(narrow.every((row) => /^( {2}↪ |ID|0|b)/.test(row))).toBe(true)
  expect(narrow.join('\n')).toContain(id)
})

test('a terminal that reports 0 columns has an unknown width, and gets rows of 80', () => {
  expect(printed(0)).toEqual(printed(80))
})
