import { sql } from 'kysely'

const comment = '/* last */'

/**
 * Begins the last statement of a transaction, with which a connection of the service sends the
 * commit: one round trip for both. The statement itself must fail where anything is wrong, since
 * nobody can judge its rows before the commit.
 */
export const lastStatement = sql.raw(`${comment} `)

/** Whether the commit is sent with this statement. */
export function isLastStatement(text: string): boolean {
  return text.trimStart().startsWith(comment)
}
