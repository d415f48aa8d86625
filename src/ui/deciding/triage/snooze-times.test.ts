import { expect, test } from 'vitest'
import { snoozeTimes } from './snooze-times.ts'

test.each([
  ['a Sunday', new Date(2026, 10, 29, 22), new Date(2026, 10, 30, 9)],
  ['a Monday', new Date(2026, 10, 30, 8), new Date(2026, 11, 7, 9)],
  ['a Wednesday', new Date(2026, 10, 25, 12), new Date(2026, 10, 30, 9)],
])('on %s, Monday is the next one, and every time is to come', (_, now, monday) => {
  const times = snoozeTimes(now).map(({ at }) => at)
  expect(times.at(-1)).toEqual(monday)
  expect(times.every((at) => at > now)).toBe(true)
  expect(new Set(times.map(Number)).size).toBe(times.length)
})
