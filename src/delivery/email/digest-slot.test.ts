import { expect, test } from 'vitest'
import { digestSlot, isOverBeforeDigest } from './digest-slot.ts'

const berlin = { at: '08:00', timeZone: 'Europe/Berlin' }

test('the slot is the newest time of day that has passed, whatever the offset of its zone', () => {
  const slot = (now: string, digest = berlin) => digestSlot(new Date(now), digest).toISOString()
  expect(slot('2026-11-22T06:59:59Z')).toBe('2026-11-21T07:00:00.000Z')
  expect(slot('2026-11-22T07:00:00Z')).toBe('2026-11-22T07:00:00.000Z')
  expect(slot('2026-07-01T06:30:00Z')).toBe('2026-07-01T06:00:00.000Z')
  expect(slot('2026-11-22T00:30:00Z', { at: '20:00', timeZone: 'America/New_York' })).toBe(
    '2026-11-21T01:00:00.000Z',
  )
  expect(slot('2026-11-22T12:00:00Z', { at: '23:30', timeZone: 'Pacific/Auckland' })).toBe(
    '2026-11-22T10:30:00.000Z',
  )
})

test.each(['08:00', '02:30', '00:00', '23:59'])(
  'at %s there is one slot a day, also on the days when the clocks change',
  (at) => {
    for (const from of [Date.UTC(2026, 2, 25), Date.UTC(2026, 9, 20)]) {
      const slots = new Set<number>()
      for (let half = 0; half < 10 * 48; half += 1) {
        const now = new Date(from + half * 1_800_000)
        const slot = digestSlot(now, { at, timeZone: 'Europe/Berlin' })
        expect(slot.getTime()).toBeLessThanOrEqual(now.getTime())
        slots.add(slot.getTime())
      }
      // One slot for each of the ten days, and the last slot before them.
      expect(slots.size).toBeGreaterThanOrEqual(10)
      expect(slots.size).toBeLessThanOrEqual(11)
    }
  },
)

test('the slots of an interval are the same in every process', () => {
  const everyMs = 4 * 3_600_000
  const slot = (now: string) => digestSlot(new Date(now), { everyMs }).toISOString()
  expect(slot('2026-11-22T07:59:59Z')).toBe('2026-11-22T04:00:00.000Z')
  expect(slot('2026-11-22T08:00:00Z')).toBe('2026-11-22T08:00:00.000Z')
})

test('a request that would end before the next digest is recognised', () => {
  const now = new Date('2026-11-22T09:00:00Z')
  const isOver = (at: string) => isOverBeforeDigest(new Date(at), now, berlin)
  expect(isOver('2026-11-23T06:59:00Z')).toBe(true)
  expect(isOver('2026-11-23T07:00:00Z')).toBe(false)
  const every = { everyMs: 4 * 3_600_000 }
  expect(isOverBeforeDigest(new Date('2026-11-22T11:00:00Z'), now, every)).toBe(true)
  expect(isOverBeforeDigest(new Date('2026-11-22T12:00:00Z'), now, every)).toBe(false)
})
