import { expect, test } from 'vitest'
import { newLineOf, shownLine } from './show-line.ts'

const diff = [
  '--- a',
  '+++ b',
  '@@ -1,2 +1,3 @@',
  ' one',
  '+two',
  ' three',
  '@@ -9 +10,2 @@',
  '-x',
  '+y',
  '+z',
  '',
]

test('a line of a diff is found by its number in the new file, and only an added one', () => {
  const numbers = diff.map((_, index) => newLineOf(diff.join('\n'), index + 1))
  expect(numbers.slice(3)).toEqual([0, 2, 0, 0, 0, 10, 11, 0])
  expect(newLineOf('', 5)).toBe(0)
})

test('a cue names the line by the number that the page shows beside it', () => {
  const content = diff.join('\n')
  expect(shownLine(content, 5)).toBe(2)
  expect(shownLine(content, 10)).toBe(11)
  // A removed line has no number in the new file.
  expect(shownLine(content, 8)).toBeNull()
  expect(shownLine('one\n+two\n', 2)).toBe(2)
})
