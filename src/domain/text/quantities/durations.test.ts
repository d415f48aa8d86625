import { expect, test } from 'vitest'
import { coarseDuration, relativeTime, shortDuration } from './durations.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

test.each([
  [0, '0 ms', 'in under a minute', 'in under a minute'],
  [850, '850 ms', 'in under a minute', 'just now'],
  [1_999, '1 s', 'in under a minute', 'just now'],
  [59 * second, '59 s', 'in under a minute', 'just now'],
  [90 * second, '90 s', 'in 1 minute', '1 minute ago'],
  [4 * minute, '4 min', 'in 4 minutes', '4 minutes ago'],
  [hour - 1, '59 min', 'in 59 minutes', '59 minutes ago'],
  [hour + 59 * minute, '119 min', 'in 1 hour', '1 hour ago'],
  [4 * hour - 1, '3 h', 'in 3 hours', '3 hours ago'],
  [25 * hour, '25 h', 'in 1 day', '1 day ago'],
  [2 * day - 1, '47 h', 'in 1 day', '1 day ago'],
  [12 * day, '12 d', 'in 12 days', '12 days ago'],
])(
  '%i ms are %s, in the future %s and in the past %s: never rounded up',
  (ms, short, ahead, past) => {
    expect(shortDuration(ms)).toBe(short)
    expect(relativeTime(ms, 0)).toBe(ahead)
    expect(relativeTime(0, ms)).toBe(past)
  },
)

test('a duration without seconds is never too long, and says when it is under a minute', () => {
  const durations = [0, 5 * second, minute - 1, minute, 2 * minute - 1, 2 * minute, 3 * day]
  const words = ['under 1 min', 'under 1 min', 'under 1 min', '1 min', '1 min', '2 min', '3 d']
  expect(durations.map(coarseDuration)).toEqual(words)
})
