import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { HeldStart, ReadyCall } from '#services/engine/starting/prepare-call.ts'
import { CallPreparations } from './call-preparations.ts'

const ready = { plan: { authorisation: { by: 'permit' } } } as ReadyCall
const reading = new Map<string, PromiseWithResolvers<ReadyCall>>()
const starts: { readonly held: HeldStart; readonly end: () => void }[] = []

function preparationsOfTest(): CallPreparations {
  return new CallPreparations({} as WorkerContext, 500, {
    prepare: (_ctx, callId) => {
      const result = Promise.withResolvers<ReadyCall>()
      reading.set(callId, result)
      return result.promise
    },
    hold: () => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const held: HeldStart = { ended, record: async () => ({ kind: 'retry' }) }
      starts.push({ held, end })
      return held
    },
  })
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  reading.clear()
  starts.length = 0
})
afterEach(() => void vi.useRealTimers())

test('at most eight calls are prepared at once; the activities of further calls verify them themselves', async () => {
  const preparations = preparationsOfTest()
  for (let n = 0; n < 100; n += 1) preparations.prepare(`call-${n}`)
  expect([...reading.keys()]).toEqual(Array.from({ length: 8 }, (_, n) => `call-${n}`))
  expect(await preparations.take('call-8')).toBeNull()
  reading.get('call-0')?.resolve(ready)
  reading.get('call-1')?.reject(new Error('no connection'))
  expect(await preparations.take('call-0')).toEqual({ ...ready, heldStart: starts[0]?.held })
  expect(await preparations.take('call-1')).toBeNull()
  // The start of the first still has its connection.
  preparations.prepare('call-8')
  preparations.prepare('call-9')
  expect([...reading.keys()].slice(8)).toEqual(['call-8'])
  starts[0]?.end()
  await starts[0]?.held.ended
  for (let n = 9; n < 100; n += 1) preparations.prepare(`call-${n}`)
  expect([...reading.keys()].slice(8)).toEqual(['call-8', 'call-9'])
})

test('a preparation is kept until it ends, however long that takes, and half a second more', async () => {
  const preparations = preparationsOfTest()
  preparations.prepare('slow')
  preparations.prepare('late')
  await vi.advanceTimersByTimeAsync(10_000)
  for (const { resolve } of reading.values()) resolve(ready)
  await vi.advanceTimersByTimeAsync(499)
  expect(await preparations.take('slow')).toMatchObject(ready)
  await vi.advanceTimersByTimeAsync(1)
  expect(await preparations.take('late')).toBeNull()
})

test('the start of an approved call is held while activities begin here, and of no other call', async () => {
  const preparations = preparationsOfTest()
  const prepareAs = async (callId: string, call: ReadyCall): Promise<boolean> => {
    preparations.prepare(callId)
    const before = starts.length
    reading.get(callId)?.resolve(call)
    await vi.advanceTimersByTimeAsync(0)
    return starts.length > before
  }
  const byPolicy = { plan: { authorisation: { by: 'policy' } } } as ReadyCall
  expect(await prepareAs('approved', ready)).toBe(true)
  expect(await prepareAs('pre-approved', byPolicy)).toBe(false)
  await vi.advanceTimersByTimeAsync(500)
  // Neither activity has begun here.
  expect(await prepareAs('elsewhere', ready)).toBe(false)
  await preparations.take('elsewhere')
  expect(await prepareAs('here', ready)).toBe(true)
})
