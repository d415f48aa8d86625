import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AnsweredRequest } from '#api/context/api.ts'
import { Outages } from './outages.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function answeredWith(outage: string | null): AnsweredRequest {
  const answer = { method: 'GET', route: '/v1/me', status: 503, startedAt: 0, durationMs: 1 }
  return { ...answer, current: null, outage, mcp: null }
}

test('an outage that made an answer fail is reported for half a minute, and counted', async () => {
  const registry = new Registry()
  const outages = new Outages(registry)
  expect(outages.recent()).toEqual([])
  outages.recordAnswer(answeredWith('disk_full'))
  outages.recordAnswer(answeredWith('disk_full'))
  expect(outages.recent()).toEqual([expect.stringContaining('The disk is full')])
  vi.advanceTimersByTime(31_000)
  expect(outages.recent()).toEqual([])
  expect(await registry.metrics()).toContain('countersign_outages_total{cause="disk_full"} 2')
})

test('an outage of Temporal is counted, and reported by its own check only', async () => {
  const registry = new Registry()
  const outages = new Outages(registry)
  outages.recordAnswer(answeredWith('temporal_away'))
  expect(outages.recent()).toEqual([])
  expect(await registry.metrics()).toContain('countersign_outages_total{cause="temporal_away"} 1')
})

test('an answer without an outage, or with an unknown cause, makes no label', async () => {
  const registry = new Registry()
  const outages = new Outages(registry)
  for (const outage of [null, 'constructor', 'made_up"} 1'])
    outages.recordAnswer(answeredWith(outage))
  expect(outages.recent()).toEqual([])
  const text = await registry.metrics()
  expect(text).not.toMatch(/constructor|made_up/)
  expect(text).not.toMatch(/^countersign_outages_total\{.*\} [1-9]/m)
})
