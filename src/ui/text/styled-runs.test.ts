import { expect, test } from 'vitest'
import { cutByRuns, layRuns } from './styled-runs.ts'

test('a cut text is the same text when joined, with its classes where the runs are', () => {
  const runs = [
    { start: 2, end: 5, className: 'a' },
    { start: 7, end: 40, className: 'b' },
  ]
  const parts = cutByRuns('cdefghij', 2, runs)
  expect(parts.map(({ text }) => text).join('')).toBe('cdefghij')
  expect(parts).toEqual([
    { text: 'cde', className: 'a' },
    { text: 'fg', className: null },
    { text: 'hij', className: 'b' },
  ])
  expect(cutByRuns('xyz', 100, runs)).toEqual([{ text: 'xyz', className: null }])
})

test('two layers of runs become one without overlaps, with both classes where both are', () => {
  const colour = [
    { start: 0, end: 4, className: 'k' },
    { start: 4, end: 9, className: 's' },
  ]
  expect(layRuns(colour, [{ start: 2, end: 6, className: 'edit' }])).toEqual([
    { start: 0, end: 2, className: 'k' },
    { start: 2, end: 4, className: 'k edit' },
    { start: 4, end: 6, className: 's edit' },
    { start: 6, end: 9, className: 's' },
  ])
})
