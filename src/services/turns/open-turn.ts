import { isEnd, runTransitions } from '../../domain/transitions.ts'
import type { Selectable } from 'kysely'
import type { RunTable, ToolCallTable } from '../../store/schema.ts'
import type { ServiceContext } from '../context.ts'
import { openAttachments } from '../delegation/attachments.ts'
import { lockRun } from '../locks.ts'
import { openingOf, openRequest } from '../requests/open-request.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { judgementCaller } from './judgement-caller.ts'
import type { JudgedCall } from './judge-turn.ts'
import { storePresented } from './present-call.ts'
import { agentReasonOf, recordVerdict, storeRefusal } from './record-verdict.ts'
import { storeResult } from '../runs/transcript/store-result.ts'

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
  const presented = await storePresented(unit.tx, judgement, judged.presented, judged.assumes)
  const { requestId } = await openRequest(unit, caller, {
    kind: judged.asks,
    run,
    call,
    ...openingOf(judgement),
    presented,
    agentReasonHash,
    attempt: 1,
    previous: [],
    outcomeOf: null,
  })
  await unit.tx
    .updateTable('tool_call')
    .set({ request_id: requestId })
    .where('id', '=', call.id)
    .execute()
  const { attachments } = judged
  await openAttachments(unit, caller, {
    run,
    call,
    judgement,
    attachments,
    agentReasonHash,
    attempt: 1,
  })
}
