import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['4h', 14_400_000],
  ['7d', 604_800_000],
  ['3650d', 3650 * 86_400_000],
])('%s is %i milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '0s', '-1h', '1.5h', '90', '4 h', '4H', '1w', '3651d', '9999999999d', '1e3s'])(
  '%j is no duration',
  (text) => {
    expect(parseDuration(text)).toBeNull()
  },
)
