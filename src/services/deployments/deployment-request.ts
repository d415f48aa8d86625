import type { Selectable } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import type { ExternalRequestTable, RequestTable } from '#store/tables/requests.ts'
import { lockRequests } from '../core/locks.ts'

/** That GitHub may be told yes, and until when. */
export interface ClaimedDeployment {
  readonly permitId: string
  readonly until: Date
}

/** A request for a deployment with its rows. */
export interface DeploymentRequest {
  readonly request: Selectable<RequestTable>
  readonly external: Selectable<ExternalRequestTable>
  /** its permit, which is the deployment's once it was taken */
  readonly taken: ClaimedDeployment
}

/** Reads them with the request's lock; `null`: it is no request for a deployment. */
export async function lockDeployment(tx: Tx, requestId: string): Promise<DeploymentRequest | null> {
  const [request] = await lockRequests(tx, [requestId])
  return request === undefined ? null : besides(tx, request)
}

/** The same without a lock: nothing is decided by it. */
export async function findDeployment(db: Db, requestId: string): Promise<DeploymentRequest | null> {
  const request = await db
    .selectFrom('request')
    .selectAll()
    .where('id', '=', requestId)
    .executeTakeFirst()
  return request === undefined ? null : besides(db, request)
}

async function besides(
  db: Db | Tx,
  request: Selectable<RequestTable>,
): Promise<DeploymentRequest | null> {
  const external = await db
    .selectFrom('external_request')
    .selectAll()
    .where('request_id', '=', request.id)
    .where('deployment', 'is not', null)
    .executeTakeFirst()
  if (external === undefined) return null
  const permit = await db
    .selectFrom('permit')
    .select(['id', 'expires_at'])
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .executeTakeFirst()
  const taken = { permitId: permit?.id ?? '', until: permit?.expires_at ?? new Date(0) }
  return { request, external, taken }
}
