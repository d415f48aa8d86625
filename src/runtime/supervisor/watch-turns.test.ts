import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchTurns } from './watch-turns.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a process that does not report in the allowed time counts as blocked, once', () => {
  const wedged = vi.fn<() => void>()
  using watch = watchTurns({ silentMs: 20_000, onWedged: wedged })
  vi.advanceTimersByTime(19_000)
  expect(wedged).not.toHaveBeenCalled()
  expect(watch.isWedged).toBe(false)
  vi.advanceTimersByTime(60_000)
  expect(wedged).toHaveBeenCalledTimes(1)
  expect(watch.isWedged).toBe(true)
})

test('a process that reports in time never counts as blocked', () => {
  const wedged = vi.fn<() => void>()
  using watch = watchTurns({ silentMs: 20_000, onWedged: wedged })
  for (let round = 0; round < 20; round += 1) {
    vi.advanceTimersByTime(19_000)
    watch.recordTurn()
  }
  expect(wedged).not.toHaveBeenCalled()
})

test('after hours of suspension nothing is killed, because only the watcher’s own checks count', () => {
  const wedged = vi.fn<() => void>()
  using watch = watchTurns({ silentMs: 20_000, onWedged: wedged })
  vi.setSystemTime(Date.now() + 6 * 3_600_000)
  vi.advanceTimersByTime(1_000)
  expect(wedged).not.toHaveBeenCalled()
  expect(watch.isWedged).toBe(false)
})

test('a watch that was ended calls nobody', () => {
  const wedged = vi.fn<() => void>()
  watchTurns({ silentMs: 2_000, onWedged: wedged })[Symbol.dispose]()
  vi.advanceTimersByTime(60_000)
  expect(wedged).not.toHaveBeenCalled()
})
