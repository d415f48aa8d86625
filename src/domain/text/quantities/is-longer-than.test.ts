import { expect, test } from 'vitest'
import { isLongerThan } from './is-longer-than.ts'

test.each([
  ['', 0, false],
  ['abc', 3, false],
  ['abcd', 3, true],
  ['🚀🚀🚀', 3, false],
  ['🚀🚀🚀🚀', 3, true],
  ['🚀🚀🚀a', 3, true],
  ['a🚀', 1, true],
])('a character is a code point: %s of at most %i', (text, max, isLonger) => {
  expect(isLongerThan(text, max)).toBe(isLonger)
})
