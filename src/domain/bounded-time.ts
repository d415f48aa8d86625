const dayMs = 24 * 3_600_000

/** The most days that one answer is about: what is read for it grows with the time. */
export const maxDays = 92

/** Whether a time begins before it ends, by {@link maxDays} at most. Pure. */
export function isBoundedTime(from: Date, to: Date): boolean {
  const days = (to.getTime() - from.getTime()) / dayMs
  return days > 0 && days <= maxDays
}
