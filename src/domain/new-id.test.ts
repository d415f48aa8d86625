import { expect, test, vi } from 'vitest'
import { validate, version } from 'uuid'
import { newId } from './new-id.ts'

test('ids are UUIDs of version 7 of the present time', () => {
  const before = Date.now()
  const id = newId()
  expect(validate(id)).toBe(true)
  expect(version(id)).toBe(7)
  const at = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  expect(at).toBeGreaterThanOrEqual(before)
  expect(at).toBeLessThanOrEqual(Date.now())
})

test('ids sort in the order in which they were made, also those of one millisecond', () => {
  const ids = Array.from({ length: 5000 }, newId)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  const times = new Set(ids.map((id) => id.slice(0, 13)))
  expect(times.size).toBeLessThan(ids.length)
})

test('no two ids have the same random bits', () => {
  const ids = Array.from({ length: 5000 }, newId)
  expect(new Set(ids.map((id) => id.slice(-11))).size).toBe(ids.length)
})

test.each([
  [59_000, 'stay behind those made before'],
  [61_000, 'are of the present time'],
])('ids after a clock was set back by %i ms %s', (backMs) => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + backMs)
  const before = newId()
  vi.mocked(Date.now).mockReturnValue(now)
  const after = newId()
  vi.restoreAllMocks()
  expect(after > before).toBe(backMs < 60_000)
})
