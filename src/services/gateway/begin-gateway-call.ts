import { requireAnswerAbout } from '../external/judge-external.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { Problem } from '#domain/problem.ts'
import { gatewayWorkerName } from '#policy/worker/gateway-workers.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import type { RemoteJudgement } from '../core/host-queries.ts'
import { byProgram } from '../core/authority.ts'
import { releaseOnFailure } from '../core/release-on-failure.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { recordBlock } from '../external/judge-external.ts'
import { lockOwner, openJudged } from '../external/open-external.ts'
import {
  callKey,
  policyNameOf,
  type GatewayCall,
  isSameCall,
  type EarlierCall,
} from './call-identity.ts'
import { isReservedName } from './reserved-name.ts'
import { recordWaiting } from './record-waiting-caller.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Tx } from '#store/database.ts'

/** The beginning of a call: its request, or why policy refuses it. */
export type GatewayCallStart =
  | { readonly kind: 'call'; readonly requestId: string }
  /**
   * a sentence why; `error`: it does not fit the tool, or its server does not answer, and no policy
   * was asked
   */
  | {
      readonly kind: 'refused'
      readonly verdict: Extract<Verdict, 'blocked' | 'error'>
      readonly reason: string
    }

/**
 * Begins a program's call of a gateway tool. If the call is an earlier one made again, that one
 * continues; otherwise policy judges it, and it opens a request like that of any program. `byTask`:
 * it is carried out as soon as it is approved; else when the program calls again. Rejects with
 * `not_found` (no such server), `workspace_unreachable`, `rate_limited`, `unreachable_approvers`.
 */
export async function beginGatewayCall(
  ctx: SigningContext,
  caller: Caller,
  call: GatewayCall,
  byTask: boolean,
): Promise<GatewayCallStart> {
  const authority = byProgram(caller)
  const program = authority.actor
  const { config } = await ctx.policies.inForce()
  const gateway = config.mcpServers.get(call.server)
  if (gateway === undefined) throw new Problem('not_found', `There is no server ${call.server}`)
  if (isReservedName(call.tool)) {
    const reason = 'this name is reserved, and no tool of a server has it here'
    return { kind: 'refused', verdict: 'error', reason }
  }
  const existing = await inUnitOfWork(ctx, authority, async (unit) => {
    const requestId = await findEarlier(unit.tx, program.id, call)
    if (requestId !== null) await recordWaiting(unit, requestId, byTask)
    return requestId
  })
  if (existing !== null) return { kind: 'call', requestId: existing }
  const verdict = await judgeServed(ctx, call)
  const { judgement } = verdict
  if (judgement.verdict === 'blocked') await recordBlock(ctx, caller, judgement)
  if (judgement.verdict === 'blocked' || judgement.verdict === 'error') {
    return { kind: 'refused', verdict: judgement.verdict, reason: judgement.reason }
  }
  return releaseOnFailure(ctx.db, verdict.presented, () =>
    inUnitOfWork(ctx, authority, async (unit): Promise<GatewayCallStart> => {
      await lockOwner(unit, program)
      const earlier = await findEarlier(unit.tx, program.id, call)
      if (earlier !== null) {
        await recordWaiting(unit, earlier, byTask)
        return { kind: 'call', requestId: earlier }
      }
      const queue = config.queues.get(gateway.queue ?? config.defaultQueue ?? '') ?? null
      const { requestId } = await openJudged(ctx, unit, caller, {
        call: {
          tool: judgement.tool,
          input: judgement.input,
          externalId: await freeExternalId(unit, program.ownerId, call),
          metadata: {
            mcpServer: call.server,
            ...(call.client === null ? {} : { client: call.client }),
          },
        },
        bodyHash: hashJson({ gateway: call.server, tool: call.tool, input: judgement.input }),
        judged: { ...verdict, judgement: onlyOnce(judgement), proved: true },
        reported: null,
        onBehalfOf: null,
        program,
        queue,
      })
      await insertCall(ctx, unit, { requestId, program, call, byTask })
      await recordWaiting(unit, requestId, byTask)
      return { kind: 'call', requestId }
    }),
  )
}

/** Judgement and presentation, by the host that connects to the server. */
async function judgeServed(ctx: SigningContext, call: GatewayCall): Promise<RemoteJudgement> {
  const tool = policyNameOf(call)
  const worker = gatewayWorkerName(call.server)
  const answer = await ctx.judgeRemotely({ worker, tool, input: call.input, present: true })
  requireAnswerAbout(tool, answer.judgement)
  return answer
}

/** An approval is for one call, whatever scopes the tool offers. */
function onlyOnce(judgement: Judgement): Judgement {
  const { routing } = judgement
  return routing === null ? judgement : { ...judgement, routing: { ...routing, scopes: ['once'] } }
}

/**
 * The client's name of the call. If an earlier one used it, a random part follows: finding the next
 * free number would read all calls of that name, of which a client makes thousands.
 */
async function freeExternalId(
  { tx }: UnitOfWork,
  ownerId: string,
  { server, tool, input, externalId, clientCallId }: GatewayCall,
): Promise<string> {
  const name = externalId ?? clientCallId ?? `mcp:${hashJson({ server, tool, input }).slice(7, 39)}`
  const earlier = await tx
    .selectFrom('external_request')
    .select('request_id')
    .where('owner_id', '=', ownerId)
    .where('external_id', '=', name)
    .executeTakeFirst()
  return earlier === undefined ? name : `${name}#${randomUUID()}`
}

async function insertCall(
  ctx: SigningContext,
  { tx }: UnitOfWork,
  values: {
    readonly requestId: string
    readonly program: { readonly id: string; readonly ownerId: string }
    readonly call: GatewayCall
    readonly byTask: boolean
  },
): Promise<void> {
  const { requestId, program, call, byTask } = values
  const { config } = await ctx.policies.inForce(tx)
  await tx
    .insertInto('gateway_call')
    .values({
      request_id: requestId,
      task_id: randomBytes(24).toString('base64url'),
      owner_id: program.ownerId,
      server: call.server,
      call_key: callKey(program.id, call),
      client_call_id: call.clientCallId,
      task_queue: config.workspaces.get('default')?.taskQueue ?? ctx.taskQueue,
      by_task: byTask,
    })
    .execute()
}

/**
 * So many newest equal calls are searched for the one that has the client's id: a client may make
 * several side by side, and make one again whose answer was lost.
 */
const maxSideBySide = 8

/**
 * The request of the earlier call that this one repeats: one to which its client gave the same id,
 * else the newest equal one. `null`: it is a new call.
 */
async function findEarlier(tx: Tx, keyId: string, call: GatewayCall): Promise<string | null> {
  const { clientCallId: id } = call
  const key = callKey(keyId, call)
  const earlierCalls = await together([
    id === null ? Promise.resolve(null) : readEarlier(tx, key, { among: maxSideBySide, id }),
    readEarlier(tx, key, { among: 1, id: null }),
  ])
  const same = earlierCalls.find((earlier) => earlier !== null && isSameCall(earlier, call))
  return same?.requestId ?? null
}

/** The newest of so many equal calls that has this id, if there is one. */
async function readEarlier(
  tx: Tx,
  key: string,
  { among, id }: { readonly among: number; readonly id: string | null },
): Promise<(EarlierCall & { readonly requestId: string }) | null> {
  const { rows } = await sql<EarlierCall & { readonly requestId: string }>`
    select g.request_id as "requestId", e.verdict, g.client_call_id as "clientCallId",
      g.refusal is not null or coalesce(r.cancel_reason, '') = 'withdrawn'
        or exists (select 1 from permit p where p.request_id = r.id and p.revision = r.revision
          and p.state = 'lapsed') as "isGivenUp",
      g.left_at is not null as "wasLeft",
      (extract(epoch from clock_timestamp() - g.told_at) * 1000)::float8 as "endReturnedForMs"
    from (
      select * from gateway_call where call_key = ${key}
      order by created_at desc limit ${sql.lit(among)}
    ) g
    join request r on r.id = g.request_id
    join external_request e on e.request_id = g.request_id
    where ${id === null ? sql<boolean>`true` : sql<boolean>`g.client_call_id = ${id}`}
    order by g.created_at desc limit 1
  `.execute(tx)
  return rows[0] ?? null
}
