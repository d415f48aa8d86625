import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { ReadyCall } from '#services/engine/starting/prepare-call.ts'
import { CallPreparations } from './call-preparations.ts'

const ready = {} as ReadyCall
const reading = new Map<string, PromiseWithResolvers<ReadyCall>>()

function preparationsOfTest(): CallPreparations {
  return new CallPreparations({} as WorkerContext, 500, (_ctx, callId) => {
    const result = Promise.withResolvers<ReadyCall>()
    reading.set(callId, result)
    return result.promise
  })
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  reading.clear()
})
afterEach(() => void vi.useRealTimers())

test('at most eight calls are prepared at once; the activities of further calls verify them themselves', async () => {
  const preparations = preparationsOfTest()
  for (let n = 0; n < 100; n += 1) preparations.prepare(`call-${n}`)
  expect([...reading.keys()]).toEqual(Array.from({ length: 8 }, (_, n) => `call-${n}`))
  expect(await preparations.take('call-8')).toBeNull()
  reading.get('call-0')?.resolve(ready)
  reading.get('call-1')?.reject(new Error('no connection'))
  expect(await preparations.take('call-0')).toBe(ready)
  expect(await preparations.take('call-1')).toBeNull()
  for (let n = 8; n < 100; n += 1) preparations.prepare(`call-${n}`)
  expect([...reading.keys()].slice(8)).toEqual(['call-8', 'call-9'])
})

test('a preparation is kept until it ends, however long that takes, and half a second more', async () => {
  const preparations = preparationsOfTest()
  preparations.prepare('slow')
  preparations.prepare('late')
  await vi.advanceTimersByTimeAsync(10_000)
  for (const { resolve } of reading.values()) resolve(ready)
  await vi.advanceTimersByTimeAsync(499)
  expect(await preparations.take('slow')).toBe(ready)
  await vi.advanceTimersByTimeAsync(1)
  expect(await preparations.take('late')).toBeNull()
})
