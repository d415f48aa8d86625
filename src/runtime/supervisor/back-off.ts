const FIRST_MS = 200
const LONGEST_MS = 10_000
/** Somebody that served this long had recovered: the next failure starts from the beginning. */
const HEALTHY_AFTER_MS = 10_000

export type BackOff = { failures: number }

export const noFailures: BackOff = { failures: 0 }

/** What to wait before the next start of a process that served `servedMs` and ended; doubles up to ten seconds. */
export function nextBackOff(before: BackOff, servedMs: number): { waitMs: number; after: BackOff } {
  const failures = servedMs >= HEALTHY_AFTER_MS ? 0 : before.failures
  return {
    waitMs: Math.min(FIRST_MS * 2 ** failures, LONGEST_MS),
    after: { failures: failures + 1 },
  }
}
