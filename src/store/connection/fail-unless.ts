import { sql, type RawBuilder } from 'kysely'

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
