/** How long a session lasts: unused, and at most. Milliseconds. */
export interface SessionTimes {
  readonly idleMs: number
  readonly absoluteMs: number
}

/** A working day unused, a working week at most. */
export const sessionTimes: SessionTimes = {
  idleMs: 12 * 3_600_000,
  absoluteMs: 7 * 24 * 3_600_000,
}
