import { sql } from 'kysely'

const comment = '/* one plan */'

/**
 * Begins the first statement of a transaction in which Postgres makes one plan for all values of
 * each statement, at its first use. Otherwise Postgres plans the first five uses on each connection
 * for their values. That takes longer than the execution, and a decision often runs on a connection
 * with few uses. For transactions whose statements find rows by ids.
 */
export const onePlan = sql.raw(`${comment} `)

/** The command that begins the transaction of this first statement. */
export function beginningOf(firstStatement: string): string {
  return firstStatement.trimStart().startsWith(comment)
    ? 'begin; set local plan_cache_mode = force_generic_plan'
    : 'begin'
}
