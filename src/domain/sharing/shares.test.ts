import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BusyError, Shares } from './shares.ts'

// What still waits at the end of a test must not reject while another file runs.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const shares = (more: Partial<ConstructorParameters<typeof Shares>[0]> = {}) =>
  new Shares({ slots: 4, maxPerCaller: 2, maxWaiting: 3, waitMs: 30_000, ...more })

/** Takes a slot, and adds its caller to `order` once it has it. */
function taking(from: Shares, caller: string | undefined, order: string[]) {
  const name = caller ?? 'own'
  return from.take(caller).then((release) => {
    order.push(name)
    return release
  })
}

describe('slots', () => {
  test('are never all used by one caller, and other callers get theirs at once', async () => {
    const pool = shares()
    const order: string[] = []
    for (let callCount = 0; callCount < 5; callCount += 1) void taking(pool, 'greedy', order)
    await taking(pool, 'modest', order)
    expect(order).toEqual(['greedy', 'greedy', 'modest'])
    expect(pool.waiting).toBe(3)
  })

  test('are given to waiting callers in turn, one each, however many slots each has asked for', async () => {
    const pool = shares({ slots: 1, maxPerCaller: 1 })
    const order: string[] = []
    const first = await pool.take(undefined)
    const waiting = ['a', 'a', 'a', 'b', 'c', undefined].map((caller) =>
      taking(pool, caller, order).then((release) => release()),
    )
    first()
    await Promise.all(waiting)
    expect(order).toEqual(['a', 'b', 'c', 'own', 'a', 'a'])
    expect(pool.waiting).toBe(0)
  })

  test('of the service itself are bounded only by the number of slots', async () => {
    const pool = shares()
    const order: string[] = []
    for (let callCount = 0; callCount < 6; callCount += 1) void taking(pool, undefined, order)
    await Promise.resolve()
    await Promise.resolve()
    expect([order.length, pool.waiting]).toEqual([4, 2])
  })

  test('are freed once, however often the function is called', async () => {
    const pool = shares({ slots: 1, maxPerCaller: 1 })
    const release = await pool.take('a')
    release()
    release()
    const order: string[] = []
    void taking(pool, 'b', order)
    void taking(pool, 'c', order)
    await Promise.resolve()
    await Promise.resolve()
    expect(order).toEqual(['b'])
  })

  test('are refused to a caller with too many waiting calls, and to one that has waited too long', async () => {
    const pool = shares({ slots: 1, maxPerCaller: 1, maxWaiting: 1, waitMs: 20 })
    const release = await pool.take('a')
    const late = pool.take('a')
    await expect(pool.take('a')).rejects.toBeInstanceOf(BusyError)
    await Promise.all([
      expect(late).rejects.toThrow('No slot was free for 20 ms'),
      vi.advanceTimersByTimeAsync(20),
    ])
    expect(pool.waiting).toBe(0)
    release()
    await expect(pool.take('a')).resolves.toBeTypeOf('function')
  })
})
