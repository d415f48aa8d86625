import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import { isLongerThan } from '#domain/text/quantities/is-longer-than.ts'
import type { Db } from '#store/database.ts'
import { invalid } from '../requests/facts/decision-input.ts'

/** The request that an id or number names, and its run. Rejects with `not_found`. */
export async function requestToErase(
  db: Db,
  reference: string,
): Promise<{ readonly id: string; readonly run_id: string | null }> {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference)
  const isNumber = /^[1-9]\d{0,14}$/.test(reference)
  const row =
    isId || isNumber
      ? await db
          .selectFrom('request')
          .select(['id', 'run_id'])
          .where(isId ? 'id' : 'number', '=', reference)
          .executeTakeFirst()
      : undefined
  if (row === undefined) throw new Problem('not_found', 'There is no such request')
  return row
}

/** The reason for an erasure. Throws `invalid_request` if it is empty or too long. */
export function checkedWhy(why: string): string {
  const maxCharacters = limits.reasonCharacters
  if (why.trim() === '' || isLongerThan(why, maxCharacters))
    throw invalid('why', `must have 1 to ${maxCharacters} characters`)
  return why
}
