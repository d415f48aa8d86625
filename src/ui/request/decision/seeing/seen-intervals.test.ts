import { expect, test } from 'vitest'
import { coversHeight, addInterval, type Interval } from './seen-intervals.ts'

const after = (...steps: [number, number][]): readonly Interval[] =>
  steps.reduce<readonly Interval[]>(
    (intervals, [from, to]) => addInterval(intervals, { from, to }),
    [],
  )

test('all is seen only when every part has been on the screen, in any order', () => {
  expect(coversHeight(after([0, 400], [400, 900]), 900)).toBe(true)
  expect(coversHeight(after([500, 900], [0, 300], [250, 520]), 900)).toBe(true)
})

test('jumping to the end does not count as having seen the middle', () => {
  expect(coversHeight(after([0, 400], [800, 1200]), 1200)).toBe(false)
})

test('nothing on the screen is nothing seen, of an empty element too', () => {
  expect(coversHeight([], 0)).toBe(false)
  expect(coversHeight(after([10, 10], [20, 5]), 30)).toBe(false)
})
