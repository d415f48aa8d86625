import { Problem } from '#domain/problem.ts'
import { searchLimits, wordsOf } from '#domain/search.ts'

/** The words of a search, each once. Rejects with `invalid_request` for too many words. */
export function searchWords(q: string): string[] {
  const words = wordsOf(q)
  if (words.length <= searchLimits.words) return words
  const message = `has over ${searchLimits.words} words`
  throw new Problem('invalid_request', `q ${message}`, { field: 'q', message })
}
