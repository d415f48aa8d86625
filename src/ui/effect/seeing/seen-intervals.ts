/** A range of an element's height, in pixels from its top. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** The tolerance between two ranges, in pixels, for rounding. */
const tolerancePx = 2

/** Adds a range to the ranges that have been on the screen, sorted and merged. Pure. */
export function addInterval(intervals: readonly Interval[], now: Interval): readonly Interval[] {
  if (now.to <= now.from) return intervals
  const result: Interval[] = []
  for (const next of [...intervals, now].toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last !== undefined && next.from <= last.to + tolerancePx) {
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, next.to) }
    } else result.push(next)
  }
  return result
}

/** Whether the ranges cover the whole height. Pure. */
export function coversHeight(intervals: readonly Interval[], height: number): boolean {
  const [only, ...others] = intervals
  if (only === undefined || others.length > 0) return false
  return height > 0 && only.from <= tolerancePx && only.to >= height - tolerancePx
}

/** The ranges of a height that have not been on the screen, in order. Pure. */
export function unseenParts(intervals: readonly Interval[], height: number): Interval[] {
  const parts: Interval[] = []
  let at = 0
  for (const { from, to } of intervals) {
    if (from > at + tolerancePx) parts.push({ from: at, to: Math.min(from, height) })
    at = Math.max(at, to)
  }
  if (height > at + tolerancePx) parts.push({ from: at, to: height })
  return parts
}

/**
 * The seen ranges after `by` pixels, which nobody has seen, were inserted at a height or removed
 * there. Pure.
 */
export function moveIntervals(
  intervals: readonly Interval[],
  at: number,
  by: number,
): readonly Interval[] {
  const move = (edge: number): number => (edge <= at ? edge : Math.max(at, edge + by))
  return intervals
    .flatMap(({ from, to }) =>
      by > 0 && from < at && to > at
        ? [
            { from, to: at },
            { from: at + by, to: to + by },
          ]
        : [{ from: by > 0 && from === at ? from + by : move(from), to: move(to) }],
    )
    .filter(({ from, to }) => to > from)
}
