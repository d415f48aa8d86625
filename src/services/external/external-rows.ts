import type { Selectable } from 'kysely'
import type { Problem } from '#domain/problem.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ExternalRequestTable, RequestTable } from '#store/tables/requests.ts'
import { lockRequests } from '../core/locks.ts'
import { tamperedProblem } from '../core/problems/tampered.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/** A request that is not of a run, with both of its rows. */
export interface ExternalRows {
  readonly request: Selectable<RequestTable>
  readonly external: Selectable<ExternalRequestTable>
}

/** Reads the rows and locks the request; `null`: there is none, or it is of a run. */
export async function lockExternal(tx: Tx, requestId: string): Promise<ExternalRows | null> {
  const [request] = await lockRequests(tx, [requestId])
  return request === undefined ? null : withExternal(tx, request)
}

/** The same without a lock, for callers that decide nothing. */
export async function readExternal(db: Db, requestId: string): Promise<ExternalRows | null> {
  const request = await db
    .selectFrom('request')
    .selectAll()
    .where('id', '=', requestId)
    .executeTakeFirst()
  return request === undefined ? null : withExternal(db, request)
}

/** A request with its other row; `null`: it is of a run. */
export async function withExternal(
  db: Db | Tx,
  request: Selectable<RequestTable>,
): Promise<ExternalRows | null> {
  const external = await db
    .selectFrom('external_request')
    .selectAll()
    .where('request_id', '=', request.id)
    .executeTakeFirst()
  return external === undefined ? null : { request, external }
}

/** Rejects with `tampered` when either row was changed by other means than the service. */
export function assertSealed(unit: UnitOfWork, rows: ExternalRows): void {
  const problem = sealProblemOf(unit, rows)
  if (problem !== null) throw problem
}

/** `tampered` when either row was changed by other means than the service; else `null`. */
export function sealProblemOf(
  { seals }: UnitOfWork,
  { request, external }: ExternalRows,
): Problem | null {
  if (!seals.holds('request', request)) return tamperedProblem('request')
  return seals.holds('external_request', external) ? null : tamperedProblem('external_request')
}
