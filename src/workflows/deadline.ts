/**
 * A moment on the workflow's own clock, so that a wait that follows another wait does not start
 * counting again.
 */
export type Deadline = number | null

/** `inMs` from now; `null` when nothing waits for a moment. */
export function deadlineIn(inMs: number | null): Deadline {
  return inMs === null ? null : Date.now() + inMs
}

/** Milliseconds left, at least one. */
export function millisecondsUntil(deadline: number): number {
  return Math.max(1, deadline - Date.now())
}
