import type { Context } from '@temporalio/activity'
import { expect, test } from 'vitest'
import { hungDatabase } from '#test/harness/fake-database.ts'
import { createWorkerMetrics } from './activity-metrics.ts'

test('a turn that found no slot, and one that the model failed, do not count as completed', async () => {
  const metrics = createWorkerMetrics(hungDatabase().db)
  const take = async (answer: () => Promise<unknown>): Promise<unknown> => {
    const { inbound } = metrics.interceptor({ info: { activityType: 'takeTurn' } } as Context)
    return inbound?.execute?.({ args: [], headers: {} }, answer)
  }
  await take(async () => ({ kind: 'finished' }))
  await take(async () => ({ kind: 'later', afterMs: 0 }))
  await take(async () => ({ kind: 'later', afterMs: 500 }))
  await expect(take(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
  const text = await metrics.page.text()
  const pattern = /duration_seconds_count\{activity="takeTurn",outcome="(\w+)"\} (\d)/g
  const counted = [...text.matchAll(pattern)].map(([, outcome, count]) => `${outcome} ${count}`)
  expect(counted.toSorted()).toEqual(['completed 1', 'failed 2', 'later 1'])
})
