/** The most known words that a message lists, and that a word is compared with. */
const maxListed = 20
const maxCompared = 500

/** `did you mean "x"?` when one of the known words is close, else the list of them. */
export function didYouMean(word: string, words: readonly string[]): string {
  if (words.length === 0) return 'none is defined'
  const closest = closestWord(word, words)
  if (closest !== null) return `did you mean "${closest}"?`
  const first = words.slice(0, maxListed).map((one) => `"${one}"`)
  const more = words.length - first.length
  return `one of ${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/**
 * The known word that differs from a word by at most a third of its length, counted after the last
 * `__`, in edits (two exchanged letters are one edit). Otherwise a known word that begins with the
 * word, or with which the word begins; `null` if there is none.
 */
export function closestWord(word: string, words: readonly string[]): string | null {
  if (word.length > 200) return null
  const lower = word.toLowerCase()
  // Names of one server's tools begin alike (`mcp__files__`), which does not make them similar.
  const own = lower.split('__').at(-1) ?? lower
  const maxDistance = Math.min(lower.length - 1, Math.max(1, Math.floor(own.length / 3)))
  let best: { word: string; distance: number } | null = null
  for (const one of words.slice(0, maxCompared)) {
    if (Math.abs(one.length - lower.length) > maxDistance) continue
    const distance = editDistance(lower, one.toLowerCase())
    if (distance <= maxDistance && (best === null || distance < best.distance)) {
      best = { word: one, distance }
    }
  }
  return best?.word ?? (lower.length < 4 ? null : wordWithPrefix(lower, words))
}

function wordWithPrefix(lower: string, words: readonly string[]): string | null {
  const longer = words.find((one) => one.toLowerCase().startsWith(lower))
  return (
    longer ?? words.find((one) => one.length > 3 && lower.startsWith(one.toLowerCase())) ?? null
  )
}

/** Optimal string alignment: Levenshtein's distance with swapped neighbours as one edit. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    before = previous
    previous = current
  }
  return previous[b.length] ?? Math.max(a.length, b.length)
}
