import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { LiveText } from './live-text.ts'

const plain = stripVTControlCharacters

function printLive(columns: number, ...deltas: string[]): string {
  const text = new LiveText(() => columns)
  return plain(deltas.map((delta) => text.add(delta)).join('') + text.end())
}

test('prints text that arrives in pieces like text that arrives at once, each line behind a bar', () => {
  const whole = 'I read the  notes.\nThen I write.\n\nEnd '
  expect(printLive(80, ...whole)).toBe(printLive(80, whole))
  expect(printLive(80, whole)).toBe('│ I read the  notes.\n│ Then I write.\n│ \n│ End·\n')
})

test('prints a word as soon as it is whole', () => {
  const text = new LiveText(() => 80)
  expect(plain(text.add('I read the'))).toBe('│ I read')
  expect(plain(text.add(' log'))).toBe(' the')
  expect(plain(text.end())).toBe(' log\n')
})

test('wraps lines itself, so that no row begins with text of a model', () => {
  const rows = printLive(20, `${'a'.repeat(200)} Your decision: `)
    .trimEnd()
    .split('\n')
  expect(rows.every((row) => /^│[ ↪]/.test(row) && row.length <= 20)).toBe(true)
})

test('moves no cursor: control characters are shown as marks, even when they arrive in pieces', () => {
  expect(printLive(80, 'ok\u001B', '[2J\u0007', '\u202Egpj')).toBe(
    '│ ok⟦U+001B ESC⟧[2J⟦U+0007 BEL⟧⟦U+202E RIGHT-TO-LEFT OVERRIDE⟧gpj\n',
  )
})

// Rules: security.md 27
test('a long run of blanks in the middle of a piece is printed without a delay', () => {
  expect(printLive(80, `${' '.repeat(200_000)}x y`)).toContain('⟦200000 spaces⟧x y')
})
