import { sql } from 'kysely'

const comment = '/* last */'

/**
 * Begins the last statement of a transaction. A connection of the service sends the commit together
 * with it, in one round trip. The statement itself must fail where anything is wrong, because its
 * rows are read after the commit.
 */
export const lastStatement = sql.raw(`${comment} `)

/** Whether the commit is sent with this statement. */
export function isLastStatement(text: string): boolean {
  return text.trimStart().startsWith(comment)
}
