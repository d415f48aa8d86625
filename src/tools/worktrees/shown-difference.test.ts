import { expect, test } from 'vitest'
import { textWarnings } from '../presentations/text-warnings.ts'
import { printedLines } from './shown-difference.ts'

const printed = (...lines: string[]): string[] => textWarnings(printedLines(lines.join('\n')))

test('empty lines of a message and context lines, which Git prints as spaces, cause no warning', () => {
  expect(
    printed('commit a', '', '    Words', '    ', '    More', '@@ -1,2 +1,3 @@', ' ', '+new'),
  ).toEqual([])
})

test('spaces at the end of an added line, and a line of spaces only, still cause one', () => {
  expect(printed('@@ -1 +1,2 @@', ' ', '+new ', '+    ')).toEqual([
    '2 lines with space at the end.',
  ])
})
