import { sql, type RawBuilder } from 'kysely'
import pg from 'pg'

/**
 * A column that makes its statement fail with a sentence unless the condition holds: the commit is
 * sent together with the last statement, before the service reads its rows. The cast of the
 * sentence to a number fails; `concat` keeps Postgres from casting it while it plans.
 */
export function failUnless(
  condition: RawBuilder<unknown>,
  sentence: RawBuilder<unknown>,
): RawBuilder<null> {
  return sql<null>`case when not coalesce(${condition}, false) then concat(${sentence})::integer end`
}

/** Whether a statement failed because the condition of such a sentence did not hold. */
export function hasFailedWith(error: unknown, sentence: string): boolean {
  return error instanceof pg.DatabaseError && error.message.includes(sentence)
}
