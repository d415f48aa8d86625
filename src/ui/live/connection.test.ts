import { expect, test } from 'vitest'
import { afterChange, offlineAfterMs, silenceMs, type Connection } from './connection.ts'

const live: Connection = { state: 'live', receivedMs: 1_000 }
const lost: Connection = { state: 'reconnecting', receivedMs: 1_000 }
const loss = { type: 'lost', hasNetwork: true } as const
const tick = { type: 'tick', allowedSilenceMs: 20_000 } as const

test('a lost stream is reconnecting, and offline only thirty seconds after the last data', () => {
  const before = afterChange(lost, tick, 1_000 + offlineAfterMs - 1)
  const after = afterChange(lost, tick, 1_000 + offlineAfterMs)
  expect([before.state, after.state]).toEqual(['reconnecting', 'offline'])
})

test('a stream that is lost again while reconnecting does not start the thirty seconds again', () => {
  expect(afterChange(live, loss, 20_000)).toEqual(lost)
  expect(afterChange(lost, loss, 20_000)).toEqual(lost)
})

test('a stream that is lost on a device without a network is offline at once', () => {
  const noNetwork = { type: 'lost', hasNetwork: false } as const
  expect(afterChange(live, noNetwork, 1_001)).toEqual({ ...live, state: 'offline' })
  expect(afterChange(lost, noNetwork, 1_001)).toEqual({ ...lost, state: 'offline' })
})

test('data of the stream make it live at once, from offline too', () => {
  const offline: Connection = { state: 'offline', receivedMs: 1_000 }
  const received = afterChange(offline, { type: 'received' }, 90_000)
  expect(received).toEqual({ state: 'live', receivedMs: 90_000 })
})

test('a live stream is reconnecting once it has sent nothing for the allowed time, and not before', () => {
  expect(afterChange(live, tick, 21_000)).toBe(live)
  expect(afterChange(live, tick, 21_001)).toEqual(lost)
})

test('a live stream may miss one heartbeat, and may be silent for less time than decisions stay possible', () => {
  expect(silenceMs(10_000)).toBe(20_000)
  expect(silenceMs(3_600_000)).toBe(offlineAfterMs)
})
