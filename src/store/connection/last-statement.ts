import { sql, type RawBuilder } from 'kysely'

const comment = /^\s*\/\* last of (\d+) \*\//

/**
 * Begins each of the last statements of a transaction, which are sent at once, in any order. A
 * connection of the service sends the commit together with the last of these `count`, in one round
 * trip. Each must fail where anything is wrong, because its rows are read after the commit.
 */
export function lastStatement(count: number): RawBuilder<unknown> {
  return sql.raw(lastComment(count))
}

/** What {@link lastStatement} writes. */
export function lastComment(count: number): string {
  return `/* last of ${count} */ `
}

/** How many statements are sent with this one before the commit; `null`: it is none of the last. */
export function countOfLast(text: string): number | null {
  const count = comment.exec(text)?.[1]
  return count === undefined ? null : Number(count)
}
