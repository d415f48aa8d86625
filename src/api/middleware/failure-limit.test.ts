import { expect, test } from 'vitest'
import { networkOf } from './failure-limit.ts'

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
