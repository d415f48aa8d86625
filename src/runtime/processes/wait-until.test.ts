import { afterEach, expect, test, vi } from 'vitest'
import { waitUntil } from './wait-until.ts'

afterEach(() => vi.restoreAllMocks())

/** Sets the clock of the machine at the first question. */
function setClock(minutes: number): void {
  const setMs = Date.now() + minutes * 60_000
  if (!vi.isMockFunction(Date.now)) vi.spyOn(Date, 'now').mockImplementation(() => setMs)
}

test('a clock that is set forward does not end the wait', async () => {
  let callCount = 0
  const ask = (): number | null => {
    setClock(10)
    callCount += 1
    return callCount < 3 ? null : callCount
  }
  expect(await waitUntil(ask, { timeoutMs: 60_000, everyMs: 1 })).toBe(3)
})

test('a clock that is set back does not lengthen the wait', async () => {
  const ask = (): null => {
    setClock(-10)
    return null
  }
  expect(await waitUntil(ask, { timeoutMs: 20, everyMs: 1 })).toBeNull()
})
