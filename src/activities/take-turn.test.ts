import { afterEach, expect, test, vi } from 'vitest'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { takeTurnNow } from './take-turn.ts'

afterEach(() => vi.useRealTimers())

test('a cancellation that the store cannot confirm is logged, and ends no process', async () => {
  const away = new Error('the database is away')
  const { promise: logged, resolve } = Promise.withResolvers<unknown>()
  const selectFrom = (): never => {
    throw away
  }
  const db = { selectFrom, transaction: selectFrom }
  const ctx = { db, log: { error: resolve } } as unknown as WorkerContext
  const stop = new AbortController()
  const turn = takeTurnNow(ctx, { runId: 'run', turn: 1 }, stop.signal)
  await expect(turn).rejects.toBe(away)
  stop.abort('cancelled')
  expect(await logged).toEqual({ runId: 'run', err: away })
})

/** A query of any form, with this result. */
function queryWith(result: Promise<unknown>): object {
  const query: object = new Proxy(
    {},
    {
      get: (_, name) => () => (String(name).startsWith('execute') ? result : query),
    },
  )
  return query
}

test.each([
  ['its run has ended', { ended_at: new Date() }],
  ['there is no such run', undefined],
])('a cancellation is looked up again until the store says that %s', async (_, row) => {
  vi.useFakeTimers()
  const away = new Error('the database is away')
  const turnQuery = Promise.withResolvers<never>()
  const runs = { ended_at: null }
  const results = [null, Promise.resolve(runs), null, Promise.resolve(row), Promise.resolve(row)]
  const selectFrom = (): object => {
    const result = results.shift()
    if (result === null || result === undefined) throw away
    return queryWith(result)
  }
  const error = vi.fn<(facts: object) => void>()
  const transaction = () => queryWith(turnQuery.promise)
  const ctx = { db: { selectFrom, transaction }, log: { error } } as unknown as WorkerContext
  const stop = new AbortController()
  const turn = takeTurnNow(ctx, { runId: 'run', turn: 1 }, stop.signal)
  await vi.advanceTimersByTimeAsync(0)
  stop.abort('cancelled')
  await vi.advanceTimersByTimeAsync(4_000)
  turnQuery.reject(away)
  expect(await turn).toEqual({ kind: 'ended' })
  expect(error).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})
