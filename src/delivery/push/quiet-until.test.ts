import { expect, test } from 'vitest'
import { quietUntil } from './quiet-until.ts'

const night = { from: '22:00', to: '07:30', timeZone: 'Europe/Berlin' }
const noon = { from: '12:00', to: '13:00', timeZone: 'UTC' }

test.each([
  [night, '2026-11-25T20:59:59Z', null],
  [night, '2026-11-25T21:00:00Z', '2026-11-26T06:30:00.000Z'],
  [night, '2026-11-26T06:29:59Z', '2026-11-26T06:30:00.000Z'],
  [night, '2026-11-26T06:30:00Z', null],
  [noon, '2026-11-25T12:30:00Z', '2026-11-25T13:00:00.000Z'],
  [noon, '2026-11-25T13:30:00Z', null],
  [{ ...noon, to: '12:00' }, '2026-11-25T12:00:00Z', null],
])('with quiet hours %j an instant %s is quiet until %s', (quiet, at, until) => {
  expect(quietUntil(new Date(at), quiet)?.toISOString() ?? null).toBe(until)
})

const nearlyAlways = { from: '08:00', to: '07:30', timeZone: 'Europe/Berlin' }

test.each([
  // The next day ends after 23 hours.
  [night, '2026-03-28T06:15:00Z', '2026-03-28T06:30:00.000Z'],
  [nearlyAlways, '2026-03-28T06:15:00Z', '2026-03-28T06:30:00.000Z'],
  // The day that begins has 25 hours.
  [nearlyAlways, '2026-10-24T06:00:00Z', '2026-10-25T06:30:00.000Z'],
  [night, '2026-10-24T20:00:00Z', '2026-10-25T06:30:00.000Z'],
])(
  'beside a change of the clocks, with %j, an instant %s is quiet until the next end, %s',
  (quiet, at, until) => {
    expect(quietUntil(new Date(at), quiet)?.toISOString()).toBe(until)
  },
)

test('the end of quiet hours is never in the past, nor further away than a day of 25 hours', () => {
  const starts = ['2026-03-27', '2026-10-23'].map((day) => Date.parse(`${day}T00:00:00Z`))
  const quiets = [night, nearlyAlways, { ...night, timeZone: 'Antarctica/Troll' }]
  for (const [start, quiet] of starts.flatMap((at) => quiets.map((one) => [at, one] as const))) {
    for (let hour = 0; hour < 4 * 24; hour += 1) {
      const now = new Date(start + hour * 3_600_000 + 1)
      const until = quietUntil(now, quiet)
      if (until === null) continue
      expect(until.getTime(), now.toISOString()).toBeGreaterThan(now.getTime())
      expect(until.getTime() - now.getTime(), now.toISOString()).toBeLessThan(26 * 3_600_000)
      // Just before it, the hours still last, and then they are over.
      expect(quietUntil(new Date(until.getTime() - 1), quiet)?.getTime()).toBe(until.getTime())
    }
  }
})

test('quiet hours follow the local time of their zone when its clocks change', () => {
  const summer = quietUntil(new Date('2026-03-28T23:00:00Z'), night)
  expect(summer?.toISOString()).toBe('2026-03-29T05:30:00.000Z')
})
