import { sql } from 'kysely'
import { eachOf } from '#store/connection/each-of.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { missingProblem } from '../../core/problems/missing.ts'
import { isShortNumber, isUuid } from '#domain/requests/reference-forms.ts'
import { personBehind, viewerOf, type Viewer } from './viewer.ts'
import { requestVisibleTo } from './visible-to.ts'

/** The ids and place of a request, read before anything is locked. */
export interface RequestLocation {
  readonly id: string
  readonly runId: string | null
}

/** The reference in lower case if it is an id; `null`: it is a number or no reference. */
export function idOfReference(reference: string): string | null {
  return isUuid(reference) ? reference.toLowerCase() : null
}

/**
 * Finds a request by its id or its number (api.md, Requests). Rejects with `not_found` when the
 * viewer may see no such request.
 */
export async function findRequest(
  db: Db | Tx,
  viewer: Viewer,
  reference: string,
): Promise<RequestLocation> {
  const location = await visibleRequest(db, viewer, reference)
  if (location === null) throw missingProblem('request', reference)
  return location
}

/** The same for a caller. The rights cost queries, and are read only when needed. */
export async function findRequestFor(
  ctx: ServiceContext,
  caller: Caller,
  reference: string,
): Promise<RequestLocation> {
  const location = await visibleRequest(ctx.db, viewerWithoutRights(caller), reference)
  return location ?? findRequest(ctx.db, await viewerOf(ctx, caller), reference)
}

/** A viewer whose rights were not read. */
export function viewerWithoutRights(caller: Caller): Viewer {
  return { personId: personBehind(caller), managesRuns: false }
}

async function visibleRequest(
  db: Db | Tx,
  viewer: Viewer,
  reference: string,
): Promise<RequestLocation | null> {
  const isNamed = namedBy(reference)
  if (isNamed === null) throw missingProblem('request', reference)
  const row = await db
    .selectFrom('request')
    .select(['id', 'run_id as runId'])
    .where(...isNamed)
    .where(requestVisibleTo(viewer, 'request'))
    .executeTakeFirst()
  return row ?? null
}

/**
 * Finds several requests by their ids or numbers in one query, in the order of `references`. `null`
 * for each that the viewer may not see, and for anything that is neither id nor number.
 */
export async function findRequests(
  db: Db | Tx,
  viewer: Viewer,
  references: readonly string[],
): Promise<readonly (RequestLocation | null)[]> {
  const ids = references.filter((one) => isUuid(one)).map((one) => one.toLowerCase())
  const numbers = references.filter((one) => isShortNumber(one))
  const rows = await db
    .selectFrom('request')
    .select(['id', 'number', 'run_id as runId'])
    .where((where) =>
      where.or([
        isOneOf('id', ids),
        sql<boolean>`number = any(array(select value::bigint from ${eachOf(numbers)} as one(value)))`,
      ]),
    )
    .where(requestVisibleTo(viewer, 'request'))
    .execute()
  const byReference = new Map(
    rows.flatMap(({ id, number, runId }) =>
      [id, number].map((name): [string, RequestLocation] => [name, { id, runId }]),
    ),
  )
  return references.map((one) => byReference.get(one.toLowerCase()) ?? null)
}

/**
 * The request of a reference, also if the caller may not see it: for the audit log, for readers of
 * the whole trail and for erasure, and for nobody else.
 */
export async function existingRequest(
  db: Db | Tx,
  reference: string,
): Promise<
  (RequestLocation & { callId: string | null; digest: string; policyDigest: string }) | null
> {
  const isNamed = namedBy(reference)
  if (isNamed === null) return null
  const row = await db
    .selectFrom('request')
    .select([
      'id',
      'run_id as runId',
      'call_id as callId',
      'digest',
      'policy_digest as policyDigest',
    ])
    .where(...isNamed)
    .executeTakeFirst()
  return row ?? null
}

/** The condition of a request's id or number; `null` for a text that is neither. */
function namedBy(reference: string): readonly ['id' | 'number', '=', string] | null {
  if (isUuid(reference)) return ['id', '=', reference.toLowerCase()]
  return isShortNumber(reference) ? ['number', '=', reference] : null
}
