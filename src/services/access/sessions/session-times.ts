import { sql, type RawBuilder } from 'kysely'

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

/** In a query of sessions: one that was last seen before this has ended. */
export function idleSince({ idleMs }: SessionTimes): RawBuilder<Date> {
  return sql`clock_timestamp() - ${idleMs} * interval '1 millisecond'`
}
