import { isEnd, runTransitions } from '../../domain/transitions.ts'
import type { Judgement } from '../../domain/judgement.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Selectable } from 'kysely'
import { putContent } from '../../store/content.ts'
import { toJsonb, type Tx } from '../../store/database.ts'
import type { RunTable, ToolCallTable } from '../../store/schema.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { lockRun } from '../locks.ts'
import { openRequest } from '../requests/open-request.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { judgementCaller } from './judgement-caller.ts'
import { strictRuleId } from './judge-one.ts'
import type { JudgedCall } from './judge-turn.ts'
import { readMessageBody } from './message-body.ts'
import { storePresented } from './present-call.ts'
import { strictText } from './result-texts.ts'
import { storeResult } from './store-result.ts'
import { getTexts } from '../../store/content.ts'

/**
 * Stores everything that judging a turn came to, in one transaction: verdicts, the results of what was refused, and
 * the requests of what asks. Does nothing when another attempt was first, or the run has ended.
 */
export async function openTurn(
  ctx: ServiceContext,
  turn: { readonly runId: string; readonly turn: number; readonly judged: readonly JudgedCall[] },
): Promise<void> {
  await inUnitOfWork(ctx, async (unit) => {
    const run = await lockRun(unit.tx, turn.runId)
    if (isEnd(runTransitions, run.state)) return
    const calls = await unit.tx
      .selectFrom('tool_call')
      .selectAll()
      .where('run_id', '=', run.id)
      .where('turn', '=', turn.turn)
      .where('verdict', 'is', null)
      .execute()
    const agentReasonHash = await agentReasonOf(unit.tx, run.id, turn.turn)
    for (const judged of turn.judged) {
      const call = calls.find((one) => one.id === judged.callId)
      if (call !== undefined) await openCall(unit, run, call, judged, agentReasonHash)
    }
  })
}

async function openCall(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  call: Selectable<ToolCallTable>,
  judged: JudgedCall,
  agentReasonHash: string | null,
): Promise<void> {
  if (judged.kind === 'refused') {
    await unit.tx
      .updateTable('tool_call')
      .set({ verdict: 'error' })
      .where('id', '=', call.id)
      .execute()
    await storeResult(unit.tx, call.id, { type: 'error', text: judged.text })
    await unit.audit({
      type: 'call.judged',
      actor: { type: 'system' },
      channel: 'workflow',
      runId: run.id,
      callId: call.id,
      detail: { verdict: 'error', turn: call.turn, position: call.position },
    })
    return
  }
  const { judgement } = judged
  const caller = judgementCaller(judgement)
  await recordVerdict(unit, caller, run, call, judgement)
  if (judged.kind === 'judged') {
    await storeRefusal(unit.tx, call.id, judgement)
    return
  }
  if (judgement.routing === null) throw new TypeError(`Call ${call.id} asks nobody`)
  const presented = await storePresented(unit.tx, judgement, judged.presented, judged.assumes)
  const { requestId } = await openRequest(unit, caller, {
    kind: 'tool_call',
    run,
    call,
    tool: judgement.tool,
    digest: judgement.digest,
    policyDigest: judgement.policyDigest,
    rule: judgement.rule ?? { id: 'ask', text: judgement.reason, source: null },
    risk: judgement.risk,
    routing: judgement.routing,
    presented,
    agentReasonHash,
    attempt: 1,
    previous: [],
    outcomeOf: null,
  })
  await unit.tx
    .updateTable('tool_call')
    .set({ request_id: requestId, facts: toJsonb(presented.facts) })
    .where('id', '=', call.id)
    .execute()
}

/** Stores a verdict with the policy it came from, and records it in the trail. */
export async function recordVerdict(
  unit: UnitOfWork,
  caller: Caller,
  run: Pick<Selectable<RunTable>, 'id'>,
  call: Pick<Selectable<ToolCallTable>, 'id' | 'turn' | 'position'>,
  judgement: Judgement,
): Promise<void> {
  const verdict = verdictOf(judgement)
  await unit.tx
    .updateTable('tool_call')
    .set({
      verdict,
      digest: judgement.digest,
      rule: judgement.rule === null ? null : toJsonb(judgement.rule),
      policy_digest: judgement.policyDigest,
      read_only: judgement.readOnly,
      grant_id: judgement.grantId,
    })
    .where('id', '=', call.id)
    .execute()
  await unit.audit({
    type: 'call.judged',
    actor: caller.actor,
    channel: caller.channel,
    runId: run.id,
    callId: call.id,
    digest: judgement.digest,
    policyDigest: judgement.policyDigest,
    detail: {
      verdict,
      rule: judgement.rule?.id ?? null,
      grantId: judgement.grantId,
      tool: judgement.tool.slice(0, 200),
      turn: call.turn,
      position: call.position,
    },
  })
}

/** The result of a call that is refused without asking anybody; nothing for the others. */
export async function storeRefusal(tx: Tx, callId: string, judgement: Judgement): Promise<void> {
  if (judgement.verdict === 'error') {
    await storeResult(tx, callId, { type: 'error', text: judgement.reason })
  } else if (judgement.rule?.id === strictRuleId) {
    await storeResult(tx, callId, { type: 'denied', text: strictText(judgement.reason) })
  } else if (judgement.verdict === 'blocked') {
    await storeResult(tx, callId, { type: 'blocked', text: judgement.reason })
  }
}

/** Policy asked and the mode refused: what is kept is what policy said. */
function verdictOf(judgement: Judgement): Verdict {
  return judgement.rule?.id === strictRuleId ? 'ask' : judgement.verdict
}

/** The content hash of what the model wrote in a turn; `null` when it wrote nothing. */
export async function agentReasonOf(tx: Tx, runId: string, turn: number): Promise<string | null> {
  const message = await tx
    .selectFrom('message')
    .select('content_hash')
    .where('run_id', '=', runId)
    .where('turn', '=', turn)
    .where('role', '=', 'assistant')
    .executeTakeFirst()
  if (message === undefined) return null
  const texts = await getTexts(tx, [message.content_hash])
  const { text } = readMessageBody(texts.get(message.content_hash) ?? '{}')
  return text === '' ? null : putContent(tx, text)
}
