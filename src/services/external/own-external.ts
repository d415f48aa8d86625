import type { Selectable } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import type { Tx } from '../../store/database.ts'
import type { ExternalRequestTable, RequestTable } from '../../store/tables/requests.ts'
import { invalid } from '../decisions/decision-input.ts'
import { lockRequests } from '../locks.ts'
import type { Program } from './require-program.ts'

/** A program's request under its lock. */
export interface OwnExternal {
  readonly request: Selectable<RequestTable>
  readonly external: Selectable<ExternalRequestTable>
}

/**
 * Locks a program's request. Rejects with `invalid_request` when it is one of a run, and with `forbidden` unless the
 * program's key is of the same owner as the one that asked (security.md 22).
 */
export async function lockOwn(tx: Tx, program: Program, requestId: string): Promise<OwnExternal> {
  const [request] = await lockRequests(tx, [requestId])
  if (request === undefined) throw new Error(`Request ${requestId} is gone`)
  const external = await tx
    .selectFrom('external_request')
    .selectAll()
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  if (external === undefined) throw invalid('request', 'was not opened by a program')
  if (external.owner_id !== program.ownerId) {
    throw new Problem('forbidden', 'Only keys of the owner whose program asked may do this')
  }
  return { request, external }
}
