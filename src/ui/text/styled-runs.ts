/** A range of a line with a class, in UTF-16 units from the start of the line. */
export interface StyledRun {
  readonly start: number
  readonly end: number
  readonly className: string
}

/** A part of a text with its class, or none. */
export interface StyledPart {
  readonly text: string
  readonly className: string | null
}

/**
 * Cuts a part of a line, which begins at `offset`, at the ends of runs. Joined, the parts are the
 * text. Runs are in order and do not overlap. Pure.
 */
export function cutByRuns(text: string, offset: number, runs: readonly StyledRun[]): StyledPart[] {
  const parts: StyledPart[] = []
  let at = 0
  for (const run of runs) {
    const start = Math.max(at, run.start - offset)
    const end = Math.min(text.length, run.end - offset)
    if (end <= start) continue
    if (start > at) parts.push({ text: text.slice(at, start), className: null })
    parts.push({ text: text.slice(start, end), className: run.className })
    at = end
  }
  if (at < text.length) parts.push({ text: text.slice(at), className: null })
  return parts
}

/** Combines two layers of runs. Where both apply, both classes apply. Pure. */
export function layRuns(below: readonly StyledRun[], above: readonly StyledRun[]): StyledRun[] {
  const ends = [...below, ...above].flatMap(({ start, end }) => [start, end])
  const edges = [...new Set(ends)].toSorted((a, b) => a - b)
  const layers = [below, above].map((runs) => ({ runs, at: 0 }))
  return edges.flatMap((start, index) => {
    const end = edges[index + 1]
    if (end === undefined) return []
    const classes = layers.flatMap((layer) => {
      while ((layer.runs[layer.at]?.end ?? Infinity) <= start) layer.at += 1
      const run = layer.runs[layer.at]
      return run !== undefined && run.start <= start ? [run.className] : []
    })
    return classes.length === 0 ? [] : [{ start, end, className: classes.join(' ') }]
  })
}
