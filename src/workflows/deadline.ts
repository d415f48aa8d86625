/** A moment of the workflow's clock. Waiting for it again does not count from the start. */
export type Deadline = number | null

/** The moment in `inMs` milliseconds; `null` for no deadline. */
export function deadlineIn(inMs: number | null): Deadline {
  return inMs === null ? null : Date.now() + inMs
}

/** Milliseconds until a deadline, at least one. */
export function millisecondsUntil(deadline: number): number {
  return Math.max(1, deadline - Date.now())
}
