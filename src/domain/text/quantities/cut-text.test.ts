import { expect, test } from 'vitest'
import { cutText } from './cut-text.ts'

// Rules: product.md 26
test('a text that is cut says exactly how many characters it lacks, and no character is halved', () => {
  expect(cutText('abcd', 4)).toBe('abcd')
  expect(cutText('abcdef', 4)).toBe('abc… (3 more characters)')
  expect(cutText('🚀🚀🚀🚀', 4)).toBe('🚀🚀🚀🚀')
  expect(cutText('🚀🚀🚀a🚀b', 4)).toBe('🚀🚀🚀… (3 more characters)')
  expect(cutText('x'.repeat(5_000), 4_000)).toMatch(/x… \(1,001 more characters\)$/)
})
