import { sql } from 'kysely'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import type { Authority } from '../core/authority.ts'
import type { JudgingContext } from '../core/unit-of-work.ts'

/**
 * For a unit of work that locks the row of another person: a `judge` that waits until no other such
 * unit runs, and returns the authority. Each unit also locks the row of the person who acts.
 * Without this, two people who act on each other (disable, unlink, sign out, propose a key) would
 * deadlock, and two who disable themselves would each find that the other is left.
 */
export function oneAtATime<By extends Authority>(
  authority: By,
): (at: JudgingContext) => Promise<{ readonly authority: By }> {
  return async ({ tx }) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.people})`.execute(tx)
    return { authority }
  }
}
