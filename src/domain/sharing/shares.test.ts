import { describe, expect, test } from 'vitest'
import { BusyError, Shares } from './shares.ts'

const shares = (more: Partial<ConstructorParameters<typeof Shares>[0]> = {}) =>
  new Shares({ places: 4, maxPerCaller: 2, maxWaiting: 3, waitMs: 30_000, ...more })

/** Takes one and notes when it was given. */
function taking(from: Shares, caller: string | undefined, given: string[]) {
  const name = caller ?? 'own'
  return from.take(caller).then((release) => {
    given.push(name)
    return release
  })
}

describe('places', () => {
  test('are never all with one caller, and others get theirs at once', async () => {
    const pool = shares()
    const given: string[] = []
    for (let asked = 0; asked < 5; asked += 1) void taking(pool, 'greedy', given)
    await taking(pool, 'modest', given)
    expect(given).toEqual(['greedy', 'greedy', 'modest'])
    expect(pool.waiting).toBe(3)
  })

  test('go to those who wait in turn, one of each, whoever asked more', async () => {
    const pool = shares({ places: 1, maxPerCaller: 1 })
    const given: string[] = []
    const first = await pool.take(undefined)
    const waiting = ['a', 'a', 'a', 'b', 'c', undefined].map((caller) =>
      taking(pool, caller, given).then((release) => release()),
    )
    first()
    await Promise.all(waiting)
    expect(given).toEqual(['a', 'b', 'c', 'own', 'a', 'a'])
    expect(pool.waiting).toBe(0)
  })

  test('are not bounded for what the service does itself, but by how many there are', async () => {
    const pool = shares()
    const given: string[] = []
    for (let asked = 0; asked < 6; asked += 1) void taking(pool, undefined, given)
    await Promise.resolve()
    await Promise.resolve()
    expect([given.length, pool.waiting]).toEqual([4, 2])
  })

  test('are given back once, however often it is said', async () => {
    const pool = shares({ places: 1, maxPerCaller: 1 })
    const release = await pool.take('a')
    release()
    release()
    const given: string[] = []
    void taking(pool, 'b', given)
    void taking(pool, 'c', given)
    await Promise.resolve()
    await Promise.resolve()
    expect(given).toEqual(['b'])
  })

  test('are refused to who has too many waiting already, and to who has waited too long', async () => {
    const pool = shares({ places: 1, maxPerCaller: 1, maxWaiting: 1, waitMs: 20 })
    const release = await pool.take('a')
    const late = pool.take('a')
    await expect(pool.take('a')).rejects.toBeInstanceOf(BusyError)
    await expect(late).rejects.toThrow('No place was free for 20 ms')
    expect(pool.waiting).toBe(0)
    release()
    await expect(pool.take('a')).resolves.toBeTypeOf('function')
  })
})
