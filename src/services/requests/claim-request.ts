import { sql, type Selectable } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import { aboutRequest } from '../decisions/ending/end-request.ts'
import { refuseEnded } from '../decisions/ending/refuse-ended.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { lockRequests } from '../locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { findRequest } from './find-request.ts'
import { requireQueuePerson } from './queue-person.ts'
import type { ClaimRecord } from './request-record.ts'
import { viewerOf } from './viewer.ts'

/** How long a claim hints that somebody is looking; claiming again renews it. */
export const claimLeaseMinutes = 10

/**
 * Tells colleagues that one is looking at a pending request: a hint with a lease, never a lock on others' right to
 * decide (product.md 20). Rejects with `claimed` while a colleague's lease runs, `not_eligible`, or how it ended.
 */
export async function claimRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<ClaimRecord> {
  const found = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  return inUnitOfWork(ctx, async (unit) => {
    const { request, personId } = await lockForClaim(unit, caller, found.id)
    const ended = await refuseEnded(unit.tx, request)
    if (ended !== null) throw ended
    await refuseClaimed(unit, request, personId)
    const leaseUntil = sql<Date>`clock_timestamp() + ${claimLeaseMinutes} * interval '1 minute'`
    const renewed = {
      person_id: personId,
      claimed_at: sql<Date>`clock_timestamp()`,
      lease_until: leaseUntil,
    }
    const row = await unit.tx
      .insertInto('claim')
      .values({ request_id: request.id, ...renewed })
      .onConflict((conflict) => conflict.column('request_id').doUpdateSet(renewed))
      .returning(['claimed_at', 'lease_until'])
      .executeTakeFirstOrThrow()
    await recordClaim(unit, caller, request, 'claimed')
    const name = caller.actor.type === 'person' ? caller.actor.name : ''
    return {
      person: { id: personId, name },
      at: row.claimed_at,
      leaseUntil: row.lease_until,
    }
  })
}

/** Ends one's own claim; with none there is nothing to do. Rejects with `claimed` when it is a colleague's. */
export async function releaseClaim(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<void> {
  const found = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  await inUnitOfWork(ctx, async (unit) => {
    const { request, personId } = await lockForClaim(unit, caller, found.id)
    await refuseClaimed(unit, request, personId)
    const released = await unit.tx
      .deleteFrom('claim')
      .where('request_id', '=', request.id)
      .where('person_id', '=', personId)
      .executeTakeFirst()
    if (released.numDeletedRows > 0n) await recordClaim(unit, caller, request, 'released')
  })
}

async function lockForClaim(
  unit: UnitOfWork,
  caller: Caller,
  requestId: string,
): Promise<{ request: Selectable<RequestTable>; personId: string }> {
  const [request] = await lockRequests(unit.tx, [requestId])
  if (request === undefined) throw new Error(`Request ${requestId} is gone`)
  return { request, personId: await requireQueuePerson(unit.tx, caller, request) }
}

async function refuseClaimed(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  personId: string,
): Promise<void> {
  const other = await unit.tx
    .selectFrom('claim')
    .innerJoin('person', 'person.id', 'claim.person_id')
    .select(['person.name', 'claim.lease_until'])
    .where('claim.request_id', '=', request.id)
    .where('claim.person_id', '<>', personId)
    .where('claim.lease_until', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  if (other === undefined) return
  throw new Problem('claimed', `${other.name} is looking at this; you may decide it all the same`, {
    claimedBy: other.name,
    leaseUntil: other.lease_until.toISOString(),
  })
}

async function recordClaim(
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
  what: 'claimed' | 'released',
): Promise<void> {
  await unit.audit({
    type: 'request.claimed',
    actor: caller.actor,
    channel: caller.channel,
    ...aboutRequest(request),
    detail: { what },
  })
  await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
}
