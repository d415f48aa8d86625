import { sql, type Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/** Who makes the call of a request that is not of a run. */
export type ExternalExecutor = 'program' | 'gateway' | 'deployment'

/**
 * Records in the row, the trail and the stream that the call of a locked request begins, by the
 * permit that it has just consumed. Returns the time, as the database writes it.
 */
export async function recordStart(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  start: { readonly by: ExternalExecutor; readonly permitId: string; readonly keyId: string },
): Promise<string> {
  const { by, permitId, keyId } = start
  const { consumed_at: consumedAt } = await unit.tx
    .updateTable('external_request')
    .set({ consumed_by: keyId, consumed_at: sql<Date>`clock_timestamp()` })
    .where('request_id', '=', request.id)
    .returning(sql<string>`consumed_at::text`.as('consumed_at'))
    .executeTakeFirstOrThrow()
  const subject = subjectOf(request)
  await unit.audit(
    { type: 'permit.consumed', ...subject, detail: { permitId } },
    { type: 'execution.started', ...subject, detail: { by, permitId } },
  )
  await unit.event('request.changed', { requestId: request.id })
  return consumedAt
}

/**
 * Records how the call of a locked request ended. `summaryHash`: of the words about it; `detail`:
 * more for the trail.
 */
export async function recordOutcome(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  end: {
    readonly by: ExternalExecutor
    readonly state: ExternalOutcome
    readonly summaryHash?: string | null
    readonly detail: JsonObject
  },
): Promise<void> {
  const { by, state, summaryHash, detail } = end
  await unit.tx
    .updateTable('external_request')
    .set({
      outcome: state,
      outcome_at: sql<Date>`clock_timestamp()`,
      ...(summaryHash === undefined ? {} : { outcome_summary_hash: summaryHash }),
    })
    .where('request_id', '=', request.id)
    .execute()
  await unit.audit({
    type: state === 'unknown' ? 'execution.unknown' : 'execution.finished',
    ...subjectOf(request),
    detail: { by, ...detail },
  })
  await unit.event('request.changed', { requestId: request.id })
}

/** The ids of every trail entry about such a call. */
export function subjectOf({
  id: requestId,
  digest,
  policy_digest: policyDigest,
}: Selectable<RequestTable>) {
  return { requestId, digest, policyDigest }
}
