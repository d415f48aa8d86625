import type { Selectable } from 'kysely'
import { callDigest } from '#domain/json/digest.ts'
import { deploymentTool, readDeployment, type Deployment } from '#domain/requests/deployment.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { lockExternal, readExternal, type ExternalRows } from '../external/external-rows.ts'
import { inputOf } from '../requests/facts/input-of.ts'

/** Permission to answer GitHub with yes, and until when. */
export interface PermittedDeployment {
  readonly permitId: string
  readonly until: Date
  readonly request: Selectable<RequestTable>
}

/** Reads the rows and locks the request; `null`: it is not a request for a deployment. */
export async function lockDeployment(tx: Tx, requestId: string): Promise<ExternalRows | null> {
  return onlyDeployment(await lockExternal(tx, requestId))
}

/** The same without a lock, for callers that decide nothing. */
export async function findDeployment(db: Db, requestId: string): Promise<ExternalRows | null> {
  return onlyDeployment(await readExternal(db, requestId))
}

function onlyDeployment(rows: ExternalRows | null): ExternalRows | null {
  return rows === null || rows.external.deployment === null ? null : rows
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
