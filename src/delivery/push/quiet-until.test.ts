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

test('quiet hours follow the local time of their zone when its clocks change', () => {
  const summer = quietUntil(new Date('2026-03-28T23:00:00Z'), night)
  expect(summer?.toISOString()).toBe('2026-03-29T05:30:00.000Z')
})
