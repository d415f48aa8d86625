import { expect, test } from 'vitest'
import { textWarnings } from '../presentations/text-warnings.ts'
import { printedLines } from './shown-difference.ts'

const printed = (...lines: string[]): string[] => textWarnings(printedLines(lines.join('\n')))

test('empty lines of a message and beside a change, which Git prints as spaces, warn of nothing', () => {
  expect(
    printed('commit a', '', '    Words', '    ', '    More', '@@ -1,2 +1,3 @@', ' ', '+new'),
  ).toEqual([])
})

test('spaces at the end of a line that is added, and a line of spaces only, still warn', () => {
  expect(printed('@@ -1 +1,2 @@', ' ', '+new ', '+    ')).toEqual([
    '2 lines with space at the end.',
  ])
})
