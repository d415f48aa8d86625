import { isShortNumber, isUuid } from '#domain/requests/reference-forms.ts'
import { sql } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { CancelReason, ExternalOutcome, RequestState } from '#domain/requests/request.ts'
import type { GatewayRefusal } from '#domain/tools/tool-disposition.ts'
import { getText } from '#store/content/content.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { byProgram } from '../core/authority.ts'
import { getSaltedText } from '../requests/words/salted-text.ts'
import { hasWaitingCaller } from './call-to-make.ts'

export interface GatewayCallState {
  readonly requestId: string
  readonly number: string
  readonly taskId: string
  readonly server: string
  /** the name by which the server knows it */
  readonly tool: string
  readonly verdict: 'ask' | 'preApproved'
  readonly state: RequestState
  readonly queue: string
  readonly team: string
  readonly createdAt: Date
  readonly changedAt: Date
  readonly expiresAt: Date
  readonly cancelReason: CancelReason | null
  /** of the people who decided, in order */
  readonly deciders: readonly string[]
  /** the reason of a denial */
  readonly reason: string | null
  /** the approval was revoked, or not used in time */
  readonly permit: 'revoked' | 'lapsed' | null
  readonly wasEdited: boolean
  readonly refusal: GatewayRefusal | null
  readonly refusalReason: string | null
  readonly hasStarted: boolean
  /** once approved, it is carried out without its caller */
  readonly byTask: boolean
  /**
   * its caller was connected when it was approved, or has called since, and still counts as
   * waiting: it is carried out
   */
  readonly isWanted: boolean
  readonly outcome: ExternalOutcome | null
  /** the number of the request that asks people how it ended */
  readonly check: string | null
}

interface Row extends Omit<GatewayCallState, 'reason' | 'tool'> {
  readonly policyName: string
  readonly reasonHash: string | null
}

/** What names a call: the request, by id or number, or the task. */
export type GatewayReference = { readonly request: string } | { readonly task: string }

/**
 * The state of a call of this server, for keys of the owner whose program made it. Rejects with
 * `not_found` for every other reference.
 */
export async function readCallState(
  ctx: Pick<ServiceContext, 'db'>,
  caller: Caller,
  server: string,
  reference: GatewayReference,
): Promise<GatewayCallState> {
  const { ownerId } = byProgram(caller).actor
  const condition = conditionOf(reference)
  const { rows } =
    condition === null
      ? { rows: [] }
      : await sql<Row>`
    select g.request_id as "requestId", r.number::text, g.task_id as "taskId", g.server,
      r.tool as "policyName", e.verdict, r.state, r.queue, r.team, r.created_at as "createdAt",
      r.expires_at as "expiresAt", r.cancel_reason as "cancelReason", g.refusal,
      g.refusal_reason as "refusalReason", e.consumed_at is not null as "hasStarted",
      g.by_task as "byTask", e.outcome,
      ${hasWaitingCaller} and g.wanted_at >= coalesce(r.decided_at, r.created_at) as "isWanted",
      greatest(r.created_at, r.decided_at, e.consumed_at, e.outcome_at) as "changedAt",
      r.revision > 1 as "wasEdited",
      (select p.state from permit p where p.request_id = r.id and p.revision = r.revision
        and p.state in ('revoked', 'lapsed')) as permit,
      (select coalesce(json_agg(p.name order by d.at, d.id), '[]')
        from decision d join person p on p.id = d.person_id
        where d.request_id = r.id and d.revision = r.revision) as deciders,
      (select d.reason_hash from decision d where d.request_id = r.id and d.decision = 'deny'
        order by d.at desc limit 1) as "reasonHash",
      (select c.number::text from request c where c.id = g.outcome_check_id) as "check"
    from gateway_call g
    join request r on r.id = g.request_id
    join external_request e on e.request_id = g.request_id
    where g.owner_id = ${ownerId} and g.server = ${server} and ${condition}
  `.execute(ctx.db)
  const [row] = rows
  if (row === undefined) throw new Problem('not_found', 'There is no such call that you may see')
  const { policyName, reasonHash, ...state } = row
  return {
    ...state,
    tool: policyName.slice(`mcp__${server}__`.length),
    reason: await getSaltedText(ctx.db, reasonHash),
  }
}

function conditionOf(reference: GatewayReference) {
  if ('task' in reference) return sql<boolean>`g.task_id = ${reference.task}`
  const { request } = reference
  if (isUuid(request)) return sql<boolean>`g.request_id = ${request.toLowerCase()}`
  return isShortNumber(request) ? sql<boolean>`r.number = ${request}` : null
}

/** The server's answer in the client's format; `null`: nothing is stored. */
export async function gatewayResult(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
): Promise<JsonObject | null> {
  const row = await ctx.db
    .selectFrom('gateway_call')
    .select('result_hash')
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  const hash = row?.result_hash ?? null
  return hash === null ? null : (JSON.parse(await getText(ctx.db, hash)) as JsonObject)
}

/**
 * Records that the caller got the answer that the call waits, or how it ended. Once the end was
 * returned, it is returned again for a while.
 */
export async function recordReply(
  ctx: Pick<ServiceContext, 'db'>,
  requestId: string,
  what: 'waits' | 'end',
): Promise<void> {
  const column = what === 'end' ? sql.ref('told_at') : sql.ref('left_at')
  await sql`
    update gateway_call set ${column} = clock_timestamp()
    where request_id = ${requestId} and ${column} is null
  `.execute(ctx.db)
}
