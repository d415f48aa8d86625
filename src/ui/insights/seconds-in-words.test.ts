import { expect, test } from 'vitest'
import { secondsInWords } from './seconds-in-words.ts'

test.each([
  [null, '–'],
  [0, '0 s'],
  [59, '59 s'],
  [90, '1.5 min'],
  [3599, '60 min'],
  [7200, '2 h'],
  [86_400 * 12, '12 d'],
])('%s seconds are %s', (seconds, words) => {
  expect(secondsInWords(seconds)).toBe(words)
})
