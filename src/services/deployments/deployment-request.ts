import type { Selectable } from 'kysely'
import { callDigest } from '#domain/json/digest.ts'
import { deploymentTool, readDeployment, type Deployment } from '#domain/requests/deployment.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ExternalRequestTable, RequestTable } from '#store/tables/requests.ts'
import { lockRequests } from '../core/locks.ts'
import { inputOf } from '../requests/facts/input-of.ts'

/** Permission to answer GitHub with yes, and until when. */
export interface PermittedDeployment {
  readonly permitId: string
  readonly until: Date
  readonly request: Selectable<RequestTable>
}

/** A request for a deployment with its rows. */
export interface DeploymentRequest {
  readonly request: Selectable<RequestTable>
  readonly external: Selectable<ExternalRequestTable>
}

/** Reads them and locks the request; `null`: it is not a request for a deployment. */
export async function lockDeployment(tx: Tx, requestId: string): Promise<DeploymentRequest | null> {
  const [request] = await lockRequests(tx, [requestId])
  return request === undefined ? null : besides(tx, request)
}

/**
 * The approved deployment, checked by the request's digest; `null`: the stored arguments differ, or
 * it is not a deployment.
 */
export async function approvedDeployment(
  db: Db,
  request: Selectable<RequestTable>,
): Promise<Deployment | null> {
  const { facts } = await db
    .selectFrom('request_revision')
    .select('facts')
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .executeTakeFirstOrThrow()
  const input = await inputOf(db, request)
  const digest = callDigest({ tool: deploymentTool, input, toolHash: facts.toolHash })
  return digest === request.digest ? readDeployment(input) : null
}

/** Reads them without a lock, for callers that decide nothing. */
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
  return external === undefined ? null : { request, external }
}
