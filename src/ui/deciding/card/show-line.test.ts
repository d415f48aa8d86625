import { expect, test } from 'vitest'
import { shownLine } from './show-line.ts'

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

test('a cue names the line by the number that the page shows beside it', () => {
  const numbers = diff.map((_, index) => shownLine(diff.join('\n'), index + 1))
  // A removed line has no number in the new file; only added lines are named in a difference.
  expect(numbers.slice(3)).toEqual([null, 2, null, null, null, 10, 11, null])
  expect(shownLine(diff.join('\n'), diff.length + 1)).toBeNull()
  expect(shownLine('one\n+two\n', 2)).toBe(2)
})
