import type { Selectable } from 'kysely'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { stricterRoute } from '#policy/judge/routing/stricter-route.ts'
import { getText } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ExternalRequestTable, RequestTable } from '#store/tables/requests.ts'
import type { SigningContext } from '../core/context.ts'
import type { ProvenFolder, StoredPresentation } from '../core/host-queries.ts'
import type { ExternalInput, ProgramClaim } from '../requests/facts/external-input.ts'
import type { ReportedOrigin } from '../requests/facts/origin.ts'
import { folderHere, judgeProven, type ExternalJudgement } from './judge-external.ts'
import { presentExternal } from './present-external.ts'
import { presentReported } from './present-reported.ts'

/** The judgement of a program's call that a person changed, and its presentation. */
export interface ChangedExternal {
  readonly judged: ExternalJudgement
  /** Stores the presentation, in the transaction that writes the revision. */
  present(tx: Tx): Promise<StoredPresentation>
}

/**
 * Judges a changed call of a program like the original: by the worker that the program named, or as
 * an unknown tool, and with the files that it proved or reported. Rejects with `unknown_worker`,
 * `invalid_request`, or `workspace_unreachable`.
 */
export async function judgeChangedExternal(
  ctx: SigningContext,
  request: Selectable<RequestTable>,
  input: JsonObject,
): Promise<ChangedExternal> {
  const { call, external, origin, proven } = await callOf(ctx, request, input)
  const again = await judgeProven(ctx, call, { proven, isEdit: true, presents: true })
  const result = external.worker === null ? again : asStrict(request, again)
  const { judgement, presented } = result
  // Also for a call that policy would pre-approve: the open request stays open, and shows it.
  const needsRequest = judgement.verdict === 'ask' || judgement.verdict === 'preApproved'
  const reported =
    presented === null && needsRequest
      ? await presentReported({ ...judgement, verdict: 'ask' }, origin ?? undefined)
      : null
  return {
    judged: result,
    present: (tx) => presentExternal(tx, result, call, { reported, isChanged: true }),
  }
}

/**
 * Judges an approved call of a program again, as the original, and presents nothing. Rejects with
 * `unknown_worker`, `invalid_request`, or `workspace_unreachable`.
 */
export async function judgeApprovedExternal(
  ctx: SigningContext,
  request: Selectable<RequestTable>,
  input: JsonObject,
): Promise<Judgement> {
  const { call, proven } = await callOf(ctx, request, input)
  const { config } = await ctx.policies.inForce()
  const { queue, ...others } = call
  // Its queue may have been removed, which no longer matters.
  const again = queue === undefined || config.queues.has(queue) ? call : others
  const { judgement } = await judgeProven(ctx, again, { proven, isEdit: false, presents: false })
  return judgement
}

/** The call of a request with another input, and the folder that its program had proved. */
async function callOf(
  ctx: SigningContext,
  request: Selectable<RequestTable>,
  input: JsonObject,
): Promise<{
  readonly call: ExternalInput
  readonly external: Selectable<ExternalRequestTable>
  readonly origin: ReportedOrigin | null
  readonly proven: ProvenFolder | null
}> {
  const external = await ctx.db
    .selectFrom('external_request')
    .selectAll()
    .where('request_id', '=', request.id)
    .executeTakeFirstOrThrow()
  const origin = await originOf(ctx.db, external)
  const call: ExternalInput = {
    tool: request.tool,
    input,
    externalId: external.external_id,
    // The queue in which it waits, unless routing now names another one.
    ...(external.worker === null ? { queue: request.queue } : { worker: external.worker }),
    ...(await claimedIn(ctx.db, external)),
    ...(origin === null ? {} : { origin }),
  }
  const isProved = external.origin_proved === true && origin !== null
  const proven = isProved ? await folderHere(ctx, origin.folder) : null
  return { call, external, origin, proven }
}

/**
 * A seal of an earlier version does not cover the name of the worker. The policy of that worker may
 * therefore add approvers to a changed call, but never remove those of the sealed request.
 */
function asStrict(request: Selectable<RequestTable>, result: ExternalJudgement): ExternalJudgement {
  const { judgement } = result
  if (judgement.routing === null) return result
  const { risk, routing } = stricterRoute(
    { risk: judgement.risk, routing: judgement.routing, sources: [] },
    { risk: request.risk, routing: request.routing, sources: [] },
  )
  return { ...result, judgement: { ...judgement, risk, routing } }
}

async function originOf(
  db: Db,
  { origin_hash: hash }: Selectable<ExternalRequestTable>,
): Promise<ReportedOrigin | null> {
  return hash === null ? null : (JSON.parse(await getText(db, hash)) as ReportedOrigin)
}

async function claimedIn(
  db: Db,
  { claim_hash: hash }: Selectable<ExternalRequestTable>,
): Promise<Pick<ExternalInput, 'title' | 'presentation'>> {
  if (hash === null) return {}
  const { title, presentation } = JSON.parse(await getText(db, hash)) as ProgramClaim
  return {
    ...(title === null ? {} : { title }),
    ...(presentation === null ? {} : { presentation }),
  }
}
