/** What a search finds, in the order of its answer: names before requests and runs. */
export const searchTypes = ['person', 'worker', 'file', 'request', 'run', 'rule'] as const
export type SearchType = (typeof searchTypes)[number]

/** Bounds of a search: its words, its answer, and the items of each type in a mixed answer. */
export const searchLimits = { characters: 200, words: 8, items: 50, itemsOfType: 12 } as const

/** The words of a search, all of which must occur; an empty search has none. Pure. */
export function wordsOfSearch(q: string): string[] {
  return [...new Set(q.trim().toLowerCase().split(/\s+/).filter(Boolean))]
}

/** Whether every word occurs in the text, in any case. Pure. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}
