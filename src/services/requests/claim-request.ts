import { sql, type Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { aboutRequest } from './ending/end-request.ts'
import { refuseEnded } from './ending/refuse-ended.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { findRequest } from './people/find-request.ts'
import { lockForQueuePerson } from './people/queue-person.ts'
import type { ClaimRecord } from './facts/request-record.ts'
import { viewerOf } from './people/viewer.ts'

/** How long a claim lasts; claiming again renews it. */
const claimLeaseMinutes = 10

/**
 * Shows colleagues that the caller looks at a pending request: a lease that does not stop others
 * from deciding (product.md 20). Rejects with `claimed` while a colleague's lease lasts,
 * `not_eligible`, or how the request ended.
 */
export async function claimRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<ClaimRecord> {
  const location = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  const judge = lockForQueuePerson(caller, location.id)
  return inUnitOfWork(ctx, judge, async (unit, { request, authority }) => {
    const { actor: person } = authority
    const refusal = await refuseEnded(unit.tx, request)
    if (refusal !== null) throw refusal
    await refuseClaimed(unit, request, person.id)
    const leaseUntil = sql<Date>`clock_timestamp() + ${claimLeaseMinutes} * interval '1 minute'`
    const renewed = {
      person_id: person.id,
      claimed_at: sql<Date>`clock_timestamp()`,
      lease_until: leaseUntil,
    }
    const row = await unit.tx
      .insertInto('claim')
      .values({ request_id: request.id, ...renewed })
      .onConflict((conflict) => conflict.column('request_id').doUpdateSet(renewed))
      .returning(['claimed_at', 'lease_until'])
      .executeTakeFirstOrThrow()
    await recordClaim(unit, request, 'claimed')
    return {
      person: { id: person.id, name: person.name },
      at: row.claimed_at,
      leaseUntil: row.lease_until,
    }
  })
}

/** Ends the caller's claim, if there is one. Rejects with `claimed` when it is a colleague's. */
export async function releaseClaim(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<void> {
  const location = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  const judge = lockForQueuePerson(caller, location.id)
  await inUnitOfWork(ctx, judge, async (unit, { request, authority }) => {
    const { id: personId } = authority.actor
    await refuseClaimed(unit, request, personId)
    const released = await unit.tx
      .deleteFrom('claim')
      .where('request_id', '=', request.id)
      .where('person_id', '=', personId)
      .executeTakeFirst()
    if (released.numDeletedRows > 0n) await recordClaim(unit, request, 'released')
  })
}

async function refuseClaimed(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  personId: string,
): Promise<void> {
  const colleague = await unit.tx
    .selectFrom('claim')
    .innerJoin('person', 'person.id', 'claim.person_id')
    .select(['person.name', 'claim.lease_until'])
    .where('claim.request_id', '=', request.id)
    .where('claim.person_id', '<>', personId)
    .where('claim.lease_until', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  if (colleague === undefined) return
  throw new Problem(
    'claimed',
    `${colleague.name} has claimed this request; you may still decide it`,
    {
      claimedBy: colleague.name,
      leaseUntil: colleague.lease_until.toISOString(),
    },
  )
}

async function recordClaim(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  what: 'claimed' | 'released',
): Promise<void> {
  await unit.audit({
    type: 'request.claimed',
    ...aboutRequest(request),
    detail: { what },
  })
  await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
}
