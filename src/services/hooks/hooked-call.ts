import { sql } from 'kysely'
import { callDigest, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CancelReason, RequestState } from '#domain/requests/request.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { byProgram } from '../core/authority.ts'
import { inputOf } from '../requests/facts/input-of.ts'
import { getSaltedText } from '../requests/words/salted-text.ts'

/** The identity of a call in a session, whatever id the agent gives it. */
export function hookCallOf(call: {
  readonly agent: string
  readonly session: string
  /** the agent's own name of the tool, and its arguments */
  readonly tool: string
  readonly input: JsonObject
  /** whose policy judges it, and the base of its paths */
  readonly worker: string | null
  readonly root: string | null
  /** what else an equal call has in common; absent: nothing */
  readonly scope?: string
}): string {
  return hashJson(call)
}

/** The request of a call that a hook asked about, as the agent may see it. */
export interface HookedRequest {
  readonly id: string
  readonly number: string
  readonly state: RequestState
  readonly digest: string
  readonly cancelReason: CancelReason | null
  readonly isTaken: boolean
  /** the newest of the calls that wait for it; `null`: none was recorded */
  readonly waiter: string | null
  /** the name and the words of the person who denied it */
  readonly deniedBy: string | null
  readonly reason: string | null
  /** the call as a person changed it; `null`: it is as the agent asked */
  readonly changed: { readonly tool: string; readonly input: JsonObject } | null
}

/**
 * The `externalId` of an earlier, open request for the same call of the session: it waits, its
 * permit was not consumed, or the agent has not got the answer that refused it. The proposer of the
 * caller's key is behind it (`hasProposerBehind`). `null`: there is none, and the call opens a new
 * request.
 */
export async function findOpenCall(
  ctx: Pick<ServiceContext, 'db'>,
  caller: Caller,
  hookCall: string,
): Promise<string | null> {
  const { ownerId, proposedBy } = byProgram(caller).actor
  let calls = ctx.db
    .selectFrom('external_request')
    .innerJoin('request', 'request.id', 'external_request.request_id')
    .select('external_request.external_id')
    .where('external_request.owner_id', '=', ownerId)
    .where('external_request.hook_call', '=', hookCall)
    .where('external_request.consumed_at', 'is', null)
    .where('external_request.told_at', 'is', null)
    .where(sql<boolean>`coalesce(request.cancel_reason, '') <> 'withdrawn'`)
  if (proposedBy !== undefined) {
    const behind = ctx.db
      .selectFrom('request_principal')
      .select('request_id')
      .where('person_id', '=', proposedBy)
    calls = calls.where('request.id', 'in', behind)
  }
  const row = await calls.orderBy('request.number').limit(1).executeTakeFirst()
  return row?.external_id ?? null
}

/**
 * Whether a hook of this call has taken the permit of another request for an equal call. A request
 * that people changed has the `hook_call` of the changed call, so it is found by the agent's id of
 * the call alone.
 */
export async function isTakenFor(
  ctx: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { hookCall, use }: { readonly hookCall: string; readonly use: string },
): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('external_request')
    .innerJoin('request', 'request.id', 'external_request.request_id')
    .select('request.id')
    .where('external_request.owner_id', '=', byProgram(caller).actor.ownerId)
    .where('hook_use', '=', use)
    .where('external_id', '<>', use)
    .where('consumed_at', 'is not', null)
    .where(({ or, eb }) => or([eb('hook_call', '=', hookCall), eb('revision', '>', 1)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

interface Row extends Omit<HookedRequest, 'reason' | 'changed'> {
  readonly reasonHash: string | null
  readonly revision: number
  readonly tool: string
  readonly toolHash: string
}

/**
 * Reads a request that the caller's owner has just opened. Rejects when it no longer exists, or
 * when its digest does not cover the call as a person changed it.
 */
export async function readHookedRequest(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
): Promise<HookedRequest> {
  const { rows } = await sql<Row>`
    select r.id, r.number::text, r.state, r.digest, r.cancel_reason as "cancelReason",
      e.consumed_at is not null as "isTaken", e.hook_use as waiter, denial.name as "deniedBy",
      denial.reason_hash as "reasonHash", r.revision, r.tool,
      shown.facts->>'toolHash' as "toolHash"
    from request r
    join external_request e on e.request_id = r.id
    join request_revision shown on shown.request_id = r.id and shown.revision = r.revision
    left join lateral (
      select p.name, d.reason_hash from decision d join person p on p.id = d.person_id
      where d.request_id = r.id and d.revision = r.revision and d.decision = 'deny'
      order by d.at desc limit 1
    ) as denial on true
    where r.id = ${requestId}
  `.execute(ctx.db)
  const [row] = rows
  if (row === undefined) throw new Error(`Request ${requestId} no longer exists`)
  const { reasonHash, revision, tool, toolHash, ...request } = row
  const reason = await getSaltedText(ctx.db, reasonHash)
  if (revision === 1) return { ...request, reason, changed: null }
  const input = await inputOf(ctx.db, { id: requestId, revision })
  if (callDigest({ tool, input, toolHash }) !== request.digest) {
    throw new Error(`The digest of request ${requestId} is not that of its call`)
  }
  return { ...request, reason, changed: { tool, input } }
}

/** Records the call that waits for a request from now on: only the newest may take the permit. */
export async function recordWaiter(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
  waiter: string,
): Promise<void> {
  await ctx.db
    .updateTable('external_request')
    .set({ hook_use: waiter })
    .where('request_id', '=', requestId)
    .where('consumed_at', 'is', null)
    .execute()
}

/** Records the call that got the permit, as its report will name it. */
export async function recordHookUse(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
  { hookCall, use }: { readonly hookCall: string; readonly use: string | null },
): Promise<void> {
  await ctx.db
    .updateTable('external_request')
    .set({ hook_call: hookCall, hook_use: use })
    .where('request_id', '=', requestId)
    .execute()
}

/**
 * Records that the agent got the answer that refuses the call: the same call opens a new request
 * from now on.
 */
export async function recordRefusalReply(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
): Promise<void> {
  await ctx.db
    .updateTable('external_request')
    .set({ told_at: sql<Date>`clock_timestamp()` })
    .where('request_id', '=', requestId)
    .where('told_at', 'is', null)
    .execute()
}
