import { sql } from 'kysely'
import { bySelf } from '../core/authority.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { lockRequest } from '../core/locks.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { refuseEnded } from './ending/refuse-ended.ts'
import { invalid } from '../core/problems/invalid.ts'
import { findRequest } from './people/find-request.ts'
import { viewerOf } from './people/viewer.ts'

export interface SnoozeInput {
  readonly request: string
  /** an instant; `null` ends the snooze */
  readonly until: string | null
}

/**
 * Snoozes a pending request for the caller alone: `mine` and the counts leave it out until then, or
 * until its deadline is near. Others do not notice, so the trail has no event. Rejects keys with
 * `forbidden`, and with how the request ended.
 */
export async function snoozeRequest(
  ctx: ServiceContext,
  caller: Caller,
  { request, until }: SnoozeInput,
): Promise<{ readonly requestId: string; readonly snoozedUntil: Date | null }> {
  const authority = bySelf(caller, 'Only people can snooze requests')
  const { id } = await findRequest(ctx.db, await viewerOf(ctx, caller), request)
  const own = { request_id: id, person_id: authority.actor.id }
  return inUnitOfWork(ctx, authority, async ({ tx }) => {
    const row = await lockRequest(tx, id)
    if (until === null) {
      await tx
        .deleteFrom('request_snooze')
        .where('request_id', '=', own.request_id)
        .where('person_id', '=', own.person_id)
        .execute()
      return { requestId: id, snoozedUntil: null }
    }
    const refusal = await refuseEnded(tx, row)
    if (refusal !== null) throw refusal
    const { rows } = await sql<{ ahead: boolean }>`
      select ${until}::timestamptz > clock_timestamp() as ahead
    `.execute(tx)
    if (rows[0]?.ahead !== true) throw invalid('until', 'must be in the future')
    const snoozed = new Date(until)
    await tx
      .insertInto('request_snooze')
      .values({ ...own, until: snoozed })
      .onConflict((conflict) =>
        conflict.columns(['request_id', 'person_id']).doUpdateSet({ until: snoozed }),
      )
      .execute()
    return { requestId: id, snoozedUntil: snoozed }
  })
}
