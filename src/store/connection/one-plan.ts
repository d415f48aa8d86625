import { sql } from 'kysely'

const comment = '/* one plan */'

/**
 * Begins the first statement of a transaction in which Postgres makes one plan for all values of
 * each statement, at its first use. Otherwise Postgres plans the first five uses on each connection
 * for their values. That takes longer than the execution, and a decision often runs on a connection
 * with few uses. For transactions whose statements find rows by ids.
 *
 * The plan stays while the tables grow. A plan made while a table fits on one page would read the
 * whole table, so sequential scans are disabled for these transactions. Before version 18, a plan
 * that cannot avoid such a scan gets a cost so high that Postgres would compile it (jit), which
 * takes longer than the statement itself.
 */
export const onePlan = sql.raw(`${comment} `)

const onePlanBeginning = [
  'begin',
  'set local plan_cache_mode = force_generic_plan',
  'set local enable_seqscan = off',
  'set local jit = off',
].join('; ')

/** The command that begins the transaction of this first statement. */
export function transactionBeginning(firstStatement: string): string {
  return firstStatement.trimStart().startsWith(comment) ? onePlanBeginning : 'begin'
}
