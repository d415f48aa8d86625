import { newId } from '#domain/new-id.ts'
import { sql, type Selectable } from 'kysely'
import type { InvokedTool as ShownInvokedTool } from '#api/schemas/runs/run-actions.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import { putContent } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import type { RemoteJudgement } from '../../core/host-queries.ts'
import { earlierAnswer, onceForKey } from '../../core/idempotency.ts'
import { refuseWhileStarting } from '../../core/runs/waits-to-start.ts'
import { lockRun } from '../../core/locks.ts'
import { openingOf, openRequest } from '../../requests/opening/open-request.ts'
import { recordVerdict } from '../judging/record-verdict.ts'
import { releaseOnFailure } from '../../core/release-on-failure.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { bySteering } from '../../runs/may-steer-run.ts'
import type { Authority } from '../../core/authority.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** How many calls of people may be open in one run. */
const maxOpenCalls = 20

export interface InvokeToolInput {
  readonly runId: string
  readonly tool: string
  readonly input: JsonObject
  readonly idempotencyKey?: string
}

export type InvokedTool = RecordOf<ShownInvokedTool>

/**
 * Invokes a manual tool on a run for a person (product.md 5). The call is judged like any other, on
 * the host that has the workspace. It then runs, or asks people other than the invoker, and its
 * result enters the transcript as a message. It is independent of the model's calls. Rejects with
 * `not_found`, `forbidden`, `run_ended`, `invalid_request` (no such manual tool, or its input is
 * invalid), `policy_blocked`, `conflict` (too many are open) or `workspace_unreachable`.
 */
export async function invokeTool(
  ctx: SigningContext,
  caller: Caller,
  input: InvokeToolInput,
): Promise<InvokedTool> {
  const authority = await bySteering(ctx, caller, input.runId)
  const { actor } = caller
  if (actor.type !== 'person') throw new Problem('forbidden', 'Only people can invoke manual tools')
  const { idempotencyKey: key, ...body } = input
  const once = { caller, key, route: 'invoke-tool', body }
  // Its run may have ended since, or its host be away: the caller still learns of the call.
  const earlier = await earlierAnswer<InvokedTool>(ctx.db, once)
  if (earlier !== null) return earlier
  const run = await ctx.db
    .selectFrom('run')
    .select(['worker', 'state', 'start_request_id', 'turn', 'forked_after_turn'])
    .where('id', '=', input.runId)
    .executeTakeFirstOrThrow()
  if (isEnd(runTransitions, run.state)) throw runEnded(run.state)
  refuseWhileStarting(run)
  const remote = await ctx.judgeRemotely({
    worker: run.worker,
    tool: input.tool,
    input: input.input,
    runId: input.runId,
    present: true,
    invokedBy: actor.id,
  })
  await refuseUnlessAllowed(ctx, authority, input, remote.judgement)
  return releaseOnFailure(ctx.db, remote.presented, () =>
    inUnitOfWork(ctx, authority, (unit) =>
      onceForKey(unit.tx, once, () =>
        recordCall(unit, caller, { runId: input.runId, personId: actor.id, judged: remote }),
      ),
    ),
  )
}

function runEnded(state: string): Problem {
  return new Problem('run_ended', `This run is already ${state}`, { state })
}

/**
 * A call that cannot run is a mistake of the invoker and leaves no trace in the run; the trail
 * records one that policy blocks.
 */
async function refuseUnlessAllowed(
  ctx: SigningContext,
  authority: Authority,
  input: InvokeToolInput,
  judgement: Judgement,
): Promise<void> {
  if (judgement.verdict === 'error') {
    throw new Problem('invalid_request', judgement.reason, { field: refusedField(judgement) })
  }
  if (judgement.verdict !== 'blocked') return
  await inUnitOfWork(ctx, authority, (unit) =>
    unit.audit({
      type: 'call.judged',
      runId: input.runId,
      digest: judgement.digest,
      policyDigest: judgement.policyDigest,
      detail: {
        verdict: 'blocked',
        rule: judgement.rule?.id ?? null,
        tool: judgement.tool,
        manual: true,
      },
    }),
  )
  throw new Problem('policy_blocked', judgement.reason, { rule: judgement.rule?.id ?? null })
}

/** A judgement ends at the step that refuses; the first step is about the tool's name alone. */
function refusedField({ steps }: Judgement): 'tool' | 'input' {
  return steps.at(-1)?.step === 'known' ? 'tool' : 'input'
}

async function recordCall(
  unit: UnitOfWork,
  caller: Caller,
  invoked: { readonly runId: string; readonly personId: string; readonly judged: RemoteJudgement },
): Promise<InvokedTool> {
  const { tx } = unit
  const { judgement, presented } = invoked.judged
  const run = await lockRun(tx, invoked.runId)
  if (isEnd(runTransitions, run.state)) throw runEnded(run.state)
  refuseWhileStarting(run)
  const { open, turn } = await countCalls(tx, run.id)
  if (open >= maxOpenCalls) {
    throw new Problem(
      'conflict',
      `${maxOpenCalls} calls of people are open in this run; wait for one`,
    )
  }
  const call = { id: newId(), turn, position: 1 }
  const { id: callId } = call
  await insertCall(tx, run, call, { judgement, personId: invoked.personId })
  await recordVerdict(unit, caller, run, call, { ...judgement, readOnly: false })
  let requestId: string | null = null
  if (judgement.verdict === 'ask') {
    if (presented === null) throw new TypeError(`The call of ${judgement.tool} has no presentation`)
    requestId = await openRequest(unit, caller, {
      kind: 'tool_call',
      run,
      call,
      ...openingOf(judgement),
      presented,
      agentReasonHash: null,
      attempt: 1,
      previous: [],
      outcomeOf: null,
    })
    await tx
      .updateTable('tool_call')
      .set({ request_id: requestId })
      .where('id', '=', callId)
      .execute()
  }
  await unit.event('run.changed', { runId: run.id })
  await unit.enqueue({ kind: 'signal_called', runId: run.id, payload: { callIds: [callId] } })
  const verdict = judgement.verdict === 'ask' ? 'ask' : 'preApproved'
  return { callId, runId: run.id, tool: judgement.tool, verdict, requestId }
}

async function insertCall(
  tx: Tx,
  run: Pick<Selectable<RunTable>, 'id' | 'turn'>,
  call: { readonly id: string; readonly turn: number; readonly position: number },
  { judgement, personId }: { readonly judgement: Judgement; readonly personId: string },
): Promise<void> {
  await tx
    .insertInto('tool_call')
    .values({
      ...call,
      run_id: run.id,
      tool_call_id: `manual:${call.id}`,
      tool: judgement.tool,
      input_hash: await putContent(tx, canonicalJson(judgement.input)),
      manual: true,
    })
    .execute()
  await tx
    .insertInto('manual_call')
    .values({ call_id: call.id, run_id: run.id, invoked_by: personId, after_turn: run.turn })
    .execute()
}

/** The number of open ones, and the next turn below zero. The caller holds the lock. */
async function countCalls(tx: Tx, runId: string): Promise<{ open: number; turn: number }> {
  const { rows } = await sql<{ open: number; turn: number }>`
    select count(*) filter (where tool_call.result_type is null)::int as open,
      coalesce(min(tool_call.turn), 0)::int - 1 as turn
    from manual_call join tool_call on tool_call.id = manual_call.call_id
    where manual_call.run_id = ${runId}
  `.execute(tx)
  return rows[0] ?? { open: 0, turn: -1 }
}
