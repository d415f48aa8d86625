import type { Request } from 'express'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failureLimit, networkOf } from './failure-limit.ts'

// Rules: security.md 21, 42
describe('an address that failed too often', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] }),
  )
  afterEach(() => void vi.useRealTimers())

  const here = { ip: '203.0.113.9' } as Request
  const hourMs = 3_600_000
  const refusedFor = (seconds: number) => ({
    code: 'rate_limited',
    facts: { retryAfterSeconds: seconds },
  })

  test.each([
    ['put back', -hourMs],
    ['put forward', hourMs],
  ])('may try again after a minute, and not before, when the clock is %s', async (_, byMs) => {
    const limit = failureLimit(1, 'failed keys')
    await limit.fail(here)
    vi.setSystemTime(Date.now() + byMs)
    await expect(limit.check(here)).rejects.toMatchObject(refusedFor(60))
    vi.advanceTimersByTime(30_000)
    await expect(limit.fail(here)).rejects.toMatchObject(refusedFor(30))
    vi.advanceTimersByTime(30_000)
    await limit.check(here)
    await limit.fail(here)
  })
})

// Rules: security.md 21
test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
  ['203.0.113.9:1000', '203.0.113.9:2000'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['[2001:db8:1:2::1]:1000', '[2001:db8:1:2::2]:2000'],
])('%s and %s are one caller', (one, other) => {
  expect(networkOf(one)).toBe(networkOf(other))
})

// Rules: security.md 21
test('callers of other networks are other callers, in whatever notation the address is', () => {
  const addresses = ['203.0.113.9', '::ffff:203.0.113.10', '::1', '2001:db8:1::1', '2001:db8:2::1']
  expect(new Set(addresses.map(networkOf)).size).toBe(addresses.length)
})
