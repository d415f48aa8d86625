/** A stretch of an element's height in pixels, from its top. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** Pixels that may be missing between two stretches: rounding, not something unread. */
const slack = 2

/** The union of what was on the screen before and what is now, sorted and merged. Pure. */
export function addInterval(intervals: readonly Interval[], now: Interval): readonly Interval[] {
  if (now.to <= now.from) return intervals
  const merged: Interval[] = []
  for (const next of [...intervals, now].toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && next.from <= last.to + slack) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, next.to) }
    } else merged.push(next)
  }
  return merged
}

/** Whether every pixel of the height has been on the screen. Pure. */
export function coversHeight(intervals: readonly Interval[], height: number): boolean {
  const [only, ...others] = intervals
  if (only === undefined || others.length > 0) return false
  return height > 0 && only.from <= slack && only.to >= height - slack
}
