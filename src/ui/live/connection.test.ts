import { expect, test } from 'vitest'
import { afterStreamEvent, offlineAfterMs, type Connection } from './connection.ts'

const lost: Connection = { state: 'reconnecting', sinceMs: 1_000 }

test('a lost stream is reconnecting, and offline only after thirty seconds without one', () => {
  const before = afterStreamEvent(lost, 'tick', 1_000 + offlineAfterMs - 1)
  const after = afterStreamEvent(lost, 'tick', 1_000 + offlineAfterMs)
  expect([before.state, after.state]).toEqual(['reconnecting', 'offline'])
})

test('losing it again while reconnecting does not start the thirty seconds anew', () => {
  expect(afterStreamEvent(lost, 'lost', 20_000)).toEqual(lost)
})

test('an opened stream is live at once, from offline too', () => {
  const offline: Connection = { state: 'offline', sinceMs: 1_000 }
  expect(afterStreamEvent(offline, 'opened', 90_000)).toEqual({ state: 'live', sinceMs: 90_000 })
})

test('time alone never takes a live stream down', () => {
  const live: Connection = { state: 'live', sinceMs: 0 }
  expect(afterStreamEvent(live, 'tick', 9_999_999)).toBe(live)
})
