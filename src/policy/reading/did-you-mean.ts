/** `did you mean "x"?` when one of the known words is close, else the whole list of them. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return 'none is defined'
  const closest = closestWord(word, known)
  if (closest !== null) return `did you mean "${closest}"?`
  return `one of ${known.map((one) => `"${one}"`).join(', ')}`
}

/** The known word within a third of the word's length in edits, or `null`. */
export function closestWord(word: string, known: readonly string[]): string | null {
  const most = Math.max(1, Math.floor(word.length / 3))
  let best: { word: string; distance: number } | null = null
  for (const one of known) {
    const distance = editDistance(word.toLowerCase(), one.toLowerCase())
    if (distance <= most && (best === null || distance < best.distance)) {
      best = { word: one, distance }
    }
  }
  return best?.word ?? null
}

/** Levenshtein distance; words of a configuration are short. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...b].entries()) {
      current.push(
        Math.min(
          (previous[column + 1] ?? 0) + 1,
          (current[column] ?? 0) + 1,
          (previous[column] ?? 0) + (letter === other ? 0 : 1),
        ),
      )
    }
    previous = current
  }
  return previous[b.length] ?? Math.max(a.length, b.length)
}
