import perfHooks from 'node:perf_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hungDatabase } from '#test/harness/fake-database.ts'
import { createApiMetrics } from './api-metrics.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('a collector is answered within seconds while Postgres and Temporal hang, and countersign_up is 0', async () => {
  const { db } = hungDatabase()
  const temporal = { namespaceId: () => Promise.withResolvers<never>().promise }
  const text = createApiMetrics(db, temporal).page.text()
  await vi.advanceTimersByTimeAsync(3000)
  expect(await text).toMatch(/countersign_up\{part="postgres"\} 0/)
  expect(await text).toMatch(/countersign_up\{part="temporal"\} 0/)
  expect(await text).toContain('process_cpu_seconds_total')
})

test('collectors that come while Postgres hangs take one connection, and not one each', async () => {
  const { db, queries } = hungDatabase()
  const { page } = createApiMetrics(db, { namespaceId: async () => 'a namespace' })
  for (let collector = 0; collector < 3; collector += 1) {
    const text = page.text()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await text).toMatch(/countersign_up\{part="temporal"\} 1/)
  }
  expect(queries()).toBe(1)
})

test('the event loop is measured, a hundred times a second, only after somebody has read its metrics', async () => {
  const measures = vi.spyOn(perfHooks, 'monitorEventLoopDelay')
  const { db } = hungDatabase()
  const { page } = createApiMetrics(db, { namespaceId: async () => 'a namespace' })
  expect(measures).not.toHaveBeenCalled()
  for (let reading = 0; reading < 2; reading += 1) {
    const text = page.text()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await text).toMatch(/nodejs_eventloop_lag_mean_seconds /)
  }
  expect(measures).toHaveBeenCalledTimes(1)
})
