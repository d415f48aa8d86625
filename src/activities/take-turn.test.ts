import { expect, test } from 'vitest'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { takeTurnNow } from './take-turn.ts'

test('a cancellation that the store cannot confirm is logged, and ends no process', async () => {
  const away = new Error('the database is away')
  const { promise: logged, resolve } = Promise.withResolvers<unknown>()
  const selectFrom = (): never => {
    throw away
  }
  const ctx = { db: { selectFrom }, log: { error: resolve } } as unknown as WorkerContext
  const stop = new AbortController()
  const turn = takeTurnNow(ctx, { runId: 'run', turn: 1 }, stop.signal)
  await expect(turn).rejects.toBe(away)
  stop.abort('cancelled')
  expect(await logged).toEqual({ runId: 'run', err: away })
})
