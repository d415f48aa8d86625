import { expect, test } from 'vitest'
import { lineBlocks, linePieces, splitLines } from './line-pieces.ts'

const joined = (line: string): string =>
  linePieces(line)
    .map((piece) => piece.text)
    .join('')

test('the pieces of a line are the whole line, whatever characters it has', () => {
  for (const line of ['', '   ', 'a\u202eb\u200b ', '\t\tx', `a${' '.repeat(300)}b\r`, 'pаypal']) {
    expect(joined(line)).toBe(line)
  }
})

test('blanks at the end of a line are shown, also before a carriage return', () => {
  expect(linePieces('key: value  ').at(-1)).toMatchObject({
    kind: 'blanks',
    count: 2,
    trailing: true,
  })
  expect(linePieces('value \r')[1]).toMatchObject({ kind: 'blanks', trailing: true })
  expect(linePieces('a b')).toEqual([{ kind: 'text', text: 'a b' }])
})

test('a long run of blanks is replaced by its count, so that the text after it stays visible', () => {
  const pieces = linePieces(`ok${' '.repeat(200)}rm`)
  expect(pieces[1]).toMatchObject({ kind: 'blanks', count: 200, trailing: false })
  expect(pieces[2]).toEqual({ kind: 'text', text: 'rm' })
})

test('a missing final newline is distinguished from an empty last line', () => {
  expect(splitLines('a\nb')).toEqual({ lines: ['a', 'b'], finalNewline: false })
  expect(splitLines('a\nb\n')).toEqual({ lines: ['a', 'b'], finalNewline: true })
  expect(splitLines('')).toEqual({ lines: [], finalNewline: true })
})

test('many blank lines fold into one block with their count; every line is in exactly one block', () => {
  const lines = ['a', ...Array.from({ length: 500 }, () => ''), 'evil', '', 'b']
  const blocks = lineBlocks(lines, 100)
  expect(blocks.map((block) => [block.kind, block.from, block.lines.length])).toEqual([
    ['lines', 1, 1],
    ['blank', 2, 500],
    ['lines', 502, 3],
  ])
  expect(blocks.flatMap((block) => block.lines)).toEqual(lines)
})

// A page and a terminal are blocked meanwhile: it took 52 s of processor time once, a quarter of a
// second now.
test('a line of 100,000 hidden characters is split within a moment', () => {
  const before = process.threadCpuUsage()
  expect(linePieces('a\u200b'.repeat(100_000))).toHaveLength(200_000)
  expect(process.threadCpuUsage(before).user / 1e6).toBeLessThan(5)
})
