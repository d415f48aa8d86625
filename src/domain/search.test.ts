import { expect, test } from 'vitest'
import { hasWords, wordsOfSearch } from './search.ts'

test('words are separated by any white space, count once each, and must all occur, in any order and case', () => {
  expect(wordsOfSearch('  Notes\tnotes  \n v2 ')).toEqual(['notes', 'v2'])
  expect(wordsOfSearch('   ')).toEqual([])
  expect(hasWords('V2 of the NOTES', ['notes', 'v2'])).toBe(true)
  expect(hasWords('the notes', ['notes', 'v2'])).toBe(false)
})
