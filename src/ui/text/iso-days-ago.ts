const dayMs = 24 * 3_600_000

/** The time so many days ago, as the API reads it. */
export function isoDaysAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString()
}
