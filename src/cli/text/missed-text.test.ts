import { expect, test } from 'vitest'
import { missedText } from './missed-text.ts'

test('the times that a schedule missed are counted and listed, and those beyond the list are counted', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000 - 1).toISOString()
  expect(missedText({ count: 3, times: [hoursAgo(1), hoursAgo(2)] })).toBe(
    '3 times missed in the last 7 days, and nothing makes up for them: 1 hour ago, 2 hours ago, and 1 earlier',
  )
  expect(missedText({ count: 1, times: [hoursAgo(1)] })).toMatch(/^1 time missed .*: 1 hour ago$/)
})
