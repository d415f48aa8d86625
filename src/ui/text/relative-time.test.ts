import { expect, test } from 'vitest'
import { relativeTime, shortSpan } from './relative-time.ts'

const hour = 3_600_000

test('a time is shown in the largest unit that fits, and is never rounded up', () => {
  expect(relativeTime(0, 3 * hour + 59 * 60_000)).toBe('3 hours ago')
  expect(relativeTime(42 * 60_000, 0)).toBe('in 42 minutes')
  expect(relativeTime(0, 25 * hour)).toBe('1 day ago')
})

test('under a minute has words of its own on each side of now', () => {
  expect(relativeTime(0, 20_000)).toBe('just now')
  expect(relativeTime(20_000, 0)).toBe('in under a minute')
})

test('a span has one number and one unit', () => {
  expect([30_000, 59 * 60_000, 47 * hour, 49 * hour].map(shortSpan)).toEqual([
    '1 min',
    '59 min',
    '47 h',
    '2 d',
  ])
})
