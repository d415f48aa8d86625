import { expect, test } from 'vitest'
import { msUntilReload } from './use-snooze-returns.ts'

const at = '2026-03-03T08:00:00.000Z'
const atMs = Date.parse(at)

test('a page reloads when a snooze ends, a little later where that is at once, and within a day', () => {
  expect(msUntilReload(at, atMs - 60_000)).toBe(60_000)
  for (const nowMs of [atMs - 1, atMs + 1_000]) expect(msUntilReload(at, nowMs)).toBe(5_000)
  expect(msUntilReload(at, atMs - 40 * 86_400_000)).toBe(86_400_000)
})

test('a device whose clock is ahead reloads once a minute until the snooze has ended in the service', () => {
  expect(msUntilReload(at, atMs + 5_000)).toBe(60_000)
  expect(msUntilReload(at, atMs + 3_600_000)).toBe(60_000)
})
