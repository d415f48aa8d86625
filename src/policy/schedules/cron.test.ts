import { expect, test } from 'vitest'
import { cronTimes } from './cron.ts'

const inBerlin = (cron: string) => cronTimes({ cron, timezone: 'Europe/Berlin' })

function threeFrom(cron: string, from: string): (string | undefined)[] {
  const times = inBerlin(cron)
  const first = times.next(new Date(from))
  const second = first === null ? null : times.next(first)
  const third = second === null ? null : times.next(second)
  return [first, second, third].map((time) => time?.toISOString())
}

// On 2027-03-28 the clocks of Berlin go from 02:00 to 03:00.
test('on a day when the clocks go forward over the time there is no such time', () => {
  expect(threeFrom('30 2 * * *', '2027-03-26T12:00:00Z')).toEqual([
    '2027-03-27T01:30:00.000Z',
    '2027-03-29T00:30:00.000Z',
    '2027-03-30T00:30:00.000Z',
  ])
  expect(inBerlin('30 2 * * *').has(new Date('2027-03-28T01:30:00Z'))).toBe(false)
})

test('the local time stays the same over both changes of the clocks', () => {
  expect(threeFrom('0 6 * * *', '2027-03-26T12:00:00Z')).toEqual([
    '2027-03-27T05:00:00.000Z',
    '2027-03-28T04:00:00.000Z',
    '2027-03-29T04:00:00.000Z',
  ])
  expect(threeFrom('0 6 * * *', '2027-10-29T12:00:00Z')).toEqual([
    '2027-10-30T04:00:00.000Z',
    '2027-10-31T05:00:00.000Z',
    '2027-11-01T05:00:00.000Z',
  ])
})

// On 2027-10-31, 02:30 comes at 00:30 and at 01:30 UTC; Temporal starts at the second.
test('a local time that occurs twice matches the expression, whichever of the two Temporal uses', () => {
  const times = inBerlin('30 2 * * *')
  expect(times.has(new Date('2027-10-31T00:30:00Z'))).toBe(true)
  expect(times.has(new Date('2027-10-31T01:30:00Z'))).toBe(true)
})
