import { sql } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CancelReason, RequestState } from '#domain/requests/request.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { byProgram } from '../core/authority.ts'
import { getSaltedText } from '../requests/words/salted-text.ts'

/** Which call of which session it is, whatever the agent numbers it. */
export function hookCallOf(call: {
  readonly agent: string
  readonly session: string
  /** the agent's own name of the tool, and its arguments */
  readonly tool: string
  readonly input: JsonObject
  /** whose policy judges it, and where its paths begin */
  readonly worker: string | null
  readonly root: string | null
}): string {
  return hashJson(call)
}

/** The request of a call that a hook asked about, as far as the agent is told of it. */
export interface HookedRequest {
  readonly id: string
  readonly number: string
  readonly state: RequestState
  readonly digest: string
  readonly cancelReason: CancelReason | null
  readonly isTaken: boolean
  /** the name of who denied it, and that person's words */
  readonly deniedBy: string | null
  readonly reason: string | null
}

/**
 * The `externalId` of an earlier request for the same call of the session that is still open: it
 * waits, its permit was not taken, or the agent was not told how it ended. `null`: there is none,
 * and the call is asked about anew.
 */
export async function findOpenCall(
  ctx: Pick<ServiceContext, 'db'>,
  caller: Caller,
  hookCall: string,
): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('external_request')
    .innerJoin('request', 'request.id', 'external_request.request_id')
    .select('external_request.external_id')
    .where('external_request.owner_id', '=', byProgram(caller).actor.ownerId)
    .where('external_request.hook_call', '=', hookCall)
    .where('external_request.consumed_at', 'is', null)
    .where('external_request.told_at', 'is', null)
    .where(sql<boolean>`coalesce(request.cancel_reason, '') <> 'withdrawn'`)
    .orderBy('request.number')
    .limit(1)
    .executeTakeFirst()
  return row?.external_id ?? null
}

interface Row extends Omit<HookedRequest, 'reason'> {
  readonly reasonHash: string | null
}

/** Reads a request that the caller's owner has just asked about. Rejects when it is gone. */
export async function readHookedRequest(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
): Promise<HookedRequest> {
  const { rows } = await sql<Row>`
    select r.id, r.number::text, r.state, r.digest, r.cancel_reason as "cancelReason",
      e.consumed_at is not null as "isTaken", denial.name as "deniedBy",
      denial.reason_hash as "reasonHash"
    from request r
    join external_request e on e.request_id = r.id
    left join lateral (
      select p.name, d.reason_hash from decision d join person p on p.id = d.person_id
      where d.request_id = r.id and d.revision = r.revision and d.decision = 'deny'
      order by d.at desc limit 1
    ) as denial on true
    where r.id = ${requestId}
  `.execute(ctx.db)
  const [row] = rows
  if (row === undefined) throw new Error(`Request ${requestId} is gone`)
  const { reasonHash, ...request } = row
  return { ...request, reason: await getSaltedText(ctx.db, reasonHash) }
}

/** The permit was handed to the call that the agent gives this name. */
export async function noteUse(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
  use: string | null,
): Promise<void> {
  await ctx.db
    .updateTable('external_request')
    .set({ hook_use: use })
    .where('request_id', '=', requestId)
    .execute()
}

/** The agent was told that this is not done: the same call asks anew from now on. */
export async function noteToldEnd(
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
