import { sql, type RawBuilder } from 'kysely'

/**
 * A column that makes its statement fail with a sentence unless the condition holds: the commit of
 * a last statement is sent before anybody could judge its rows. The sentence is no number, and the
 * function keeps Postgres from computing it as it plans.
 */
export function failUnless(
  condition: RawBuilder<unknown>,
  sentence: RawBuilder<unknown>,
): RawBuilder<null> {
  return sql<null>`case when not coalesce(${condition}, false) then concat(${sentence})::integer end`
}
