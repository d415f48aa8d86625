import { expect, test } from 'vitest'
import { withinInWords } from './seconds-in-words.ts'

test('a share of decisions is within a time, or in under a second', () => {
  expect([0, 0.9, 1, 180].map(withinInWords)).toEqual([
    'in under 1 s',
    'in under 1 s',
    'within 1 s',
    'within 3 min',
  ])
})
