const dayMs = 24 * 3_600_000

/** The most days that one answer covers, because the rows to read grow with the period. */
export const maxDays = 92

/** Whether `from` is before `to`, by at most {@link maxDays}. Pure. */
export function isBoundedTime(from: Date, to: Date): boolean {
  const days = (to.getTime() - from.getTime()) / dayMs
  return days > 0 && days <= maxDays
}
