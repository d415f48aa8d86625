import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unclearNumberIn, whyUnclear } from './number-literal.ts'

// Rules: security.md 34
test.each([
  '9007199254740993',
  '-9007199254740992',
  '12345678901234567890',
  '1e300',
  '1e400',
  '0.1000000000000000055511151231257827',
  '1e-400',
  '1.00000000000000000001',
])('%s may be read as different numbers', (literal) => {
  expect(whyUnclear(literal)).not.toBeNull()
})

test.each(['0', '-0', '0.10', '1.50e2', '9007199254740991', '-9007199254740991', '5e-324', '100'])(
  '%s is the same number to every parser',
  (literal) => {
    expect(whyUnclear(literal)).toBeNull()
  },
)

test('the output of JSON.stringify for a safe number is unambiguous', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -(2 ** 53 - 1), max: 2 ** 53 - 1 }), (value) => {
      expect(whyUnclear(JSON.stringify(value))).toBeNull()
    }),
  )
})

test('a literal of a million digits is judged within a moment', () => {
  const begun = process.threadCpuUsage()
  expect(whyUnclear(`0.${'3'.repeat(1_000_000)}`)).not.toBeNull()
  expect(whyUnclear(`1${'0'.repeat(1_000_000)}`)).not.toBeNull()
  expect(process.threadCpuUsage(begun).user).toBeLessThan(2_000_000)
})

test('such a number is found by its path in arguments that were parsed before', () => {
  expect(unclearNumberIn({ a: [{ b: 2 ** 53 }] })).toBe('a[0].b')
  expect(unclearNumberIn({ a: [1, 'x', null, -0.5] })).toBeNull()
})
