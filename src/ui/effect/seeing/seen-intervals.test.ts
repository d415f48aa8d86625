import { expect, test } from 'vitest'
import {
  addInterval,
  coversHeight,
  moveIntervals,
  unseenParts,
  type Interval,
} from './seen-intervals.ts'

const after = (...steps: [number, number][]): readonly Interval[] =>
  steps.reduce<readonly Interval[]>(
    (intervals, [from, to]) => addInterval(intervals, { from, to }),
    [],
  )

test('everything counts as seen only when every part has been on the screen, in any order', () => {
  expect(coversHeight(after([0, 400], [400, 900]), 900)).toBe(true)
  expect(coversHeight(after([500, 900], [0, 300], [250, 520]), 900)).toBe(true)
})

test('jumping to the end does not count as having seen the middle', () => {
  expect(coversHeight(after([0, 400], [800, 1200]), 1200)).toBe(false)
})

test('nothing counts as seen while nothing is on the screen, not even an empty element', () => {
  expect(coversHeight([], 0)).toBe(false)
  expect(coversHeight(after([10, 10], [20, 5]), 30)).toBe(false)
})

test('inserted content has not been seen, and seen content below it stays seen at its new place', () => {
  const intervals = after([0, 500], [700, 900])
  expect(moveIntervals(intervals, 300, 100)).toEqual([
    { from: 0, to: 300 },
    { from: 400, to: 600 },
    { from: 800, to: 1000 },
  ])
  expect(moveIntervals(after([300, 500]), 300, 100)).toEqual([{ from: 400, to: 600 }])
  expect(moveIntervals(intervals, 300, -100)).toEqual([
    { from: 0, to: 400 },
    { from: 600, to: 800 },
  ])
})

test('the unseen parts are those that were jumped over', () => {
  expect(unseenParts(after([0, 400], [800, 1000]), 1200)).toEqual([
    { from: 400, to: 800 },
    { from: 1000, to: 1200 },
  ])
  expect(unseenParts(after([0, 1199]), 1200)).toEqual([])
})
