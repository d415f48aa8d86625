import { searchLimits, wordsOfSearch } from '#domain/search.ts'
import { invalid } from '../core/problems/invalid.ts'

/** The words of a search, each once. Rejects with `invalid_request` for too many words. */
export function searchWords(q: string): string[] {
  const words = wordsOfSearch(q)
  if (words.length <= searchLimits.words) return words
  throw invalid('q', `has over ${searchLimits.words} words`)
}
