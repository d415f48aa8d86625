import { expect, test } from 'vitest'
import { textToCompare } from './text-to-compare.ts'

test('a value is the same as one with its members in another order, and nothing is the same as null', () => {
  expect(textToCompare({ a: 1, b: 2 })).toBe(textToCompare({ b: 2, a: 1 }))
  expect(textToCompare(undefined)).toBe(textToCompare(null))
})

// Rules: security.md 13
test('a value without canonical JSON is the same as no value, itself included', () => {
  const half = textToCompare('\ud800')
  expect(textToCompare('\udfff')).not.toBe(half)
  expect(textToCompare('\ud800')).not.toBe(half)
  expect(textToCompare(half)).not.toBe(half)
})
