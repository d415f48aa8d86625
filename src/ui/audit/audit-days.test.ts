import { expect, test } from 'vitest'
import { dayOf, endOfDay, startOfDay } from './audit-days.ts'

test('a day lasts from its first moment to the first moment of the next day, and both can be converted back', () => {
  for (const day of ['2026-11-22', '2026-12-31', '2024-02-29', '2026-03-29']) {
    const [from, to] = [startOfDay(day), endOfDay(day)]
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBeGreaterThanOrEqual(23 * 3_600_000)
    expect(dayOf(from, 'start')).toBe(day)
    expect(dayOf(to, 'end')).toBe(day)
  }
})

test('an incomplete date is no day, and a text that is no instant has none', () => {
  for (const typed of ['', '0002-11-22', '2026', 'soon']) expect(startOfDay(typed)).toBeNull()
  expect(dayOf(null, 'start')).toBe('')
  expect(dayOf('not an instant', 'end')).toBe('')
})
