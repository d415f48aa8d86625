import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import type { Db } from '../../store/database.ts'
import { invalid } from '../decisions/decision-input.ts'

/** The request that an id or number names, and its run. Rejects with `not_found`. */
export async function requestToErase(
  db: Db,
  named: string,
): Promise<{ readonly id: string; readonly run_id: string | null }> {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(named)
  const isNumber = /^[1-9]\d{0,14}$/.test(named)
  const found =
    isId || isNumber
      ? await db
          .selectFrom('request')
          .select(['id', 'run_id'])
          .where(isId ? 'id' : 'number', '=', named)
          .executeTakeFirst()
      : undefined
  if (found === undefined) throw new Problem('not_found', 'There is no such request')
  return found
}

/** Why something is erased; rejects with `invalid_request` when nothing or too much is said. */
export function checkedWhy(why: string): string {
  const most = limits.reasonCharacters
  if (why.trim() === '' || why.length > most)
    throw invalid('why', `must have 1 to ${most} characters`)
  return why
}
