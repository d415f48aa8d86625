import { sql } from 'kysely'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import type { Authority } from '../core/authority.ts'
import type { JudgingContext } from '../core/unit-of-work.ts'

/**
 * The authority for a unit of work that locks the row of another person, when no other such unit is
 * at work. Each unit also shares the row of the person who acts: two people who act on each other
 * would wait for each other, and of two who disable themselves nobody would see that they are the
 * last.
 */
export function oneAtATime<By extends Authority>(
  authority: By,
): (at: JudgingContext) => Promise<{ readonly authority: By }> {
  return async ({ tx }) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.people})`.execute(tx)
    return { authority }
  }
}
