import { isEnd, runTransitions } from '../../domain/transitions.ts'
import type { Selectable } from 'kysely'
import type { RunTable, ToolCallTable } from '../../store/tables/runs.ts'
import { together } from '../../store/connection/side-by-side.ts'
import type { ServiceContext, StoredPresentation } from '../context.ts'
import { openAttachments } from '../delegation/attachments.ts'
import { lockRun } from '../locks.ts'
import { openingOf, openRequests, type AskedOpening } from '../requests/open-request.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { judgementCaller } from './judging/judgement-caller.ts'
import type { JudgedCall } from './judging/judge-turn.ts'
import { storeAllPresented } from './present-call.ts'
import {
  agentReasonOf,
  recordVerdicts,
  storeRefusal,
  type CallVerdict,
} from './judging/record-verdict.ts'
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
    const [run, calls] = await together([
      lockRun(unit.tx, turn.runId),
      unit.tx
        .selectFrom('tool_call')
        .selectAll()
        .where('run_id', '=', turn.runId)
        .where('turn', '=', turn.turn)
        .where('verdict', 'is', null)
        .execute(),
    ])
    if (isEnd(runTransitions, run.state)) return
    for (const one of judgedAs(calls, turn.judged, 'refused')) await refuseCall(unit, run, one)
    const asking = await openAsking(unit, run, judgedAs(calls, turn.judged, 'asks'))
    const others = judgedAs(calls, turn.judged, 'judged')
    await recordVerdicts(unit, run, [
      ...others.map(({ call, judged: { judgement } }) => ({
        caller: judgementCaller(judgement),
        call,
        judgement,
        requestId: null,
      })),
      ...asking,
    ])
    for (const { call, judged } of others) await storeRefusal(unit.tx, call.id, judged.judgement)
  })
}

/** A call that nobody has stored a verdict of, with what judging it came to. */
interface Judged<Kind extends JudgedCall['kind']> {
  readonly call: Selectable<ToolCallTable>
  readonly judged: Extract<JudgedCall, { readonly kind: Kind }>
}

function judgedAs<Kind extends JudgedCall['kind']>(
  calls: readonly Selectable<ToolCallTable>[],
  all: readonly JudgedCall[],
  kind: Kind,
): Judged<Kind>[] {
  return all.flatMap((judged) => {
    const call = calls.find((one) => one.id === judged.callId)
    return call === undefined || !isOfKind(judged, kind) ? [] : [{ call, judged }]
  })
}

function isOfKind<Kind extends JudgedCall['kind']>(
  judged: JudgedCall,
  kind: Kind,
): judged is Extract<JudgedCall, { readonly kind: Kind }> {
  return judged.kind === kind
}

/** A call that could not even be judged ends with an error. */
async function refuseCall(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  { call, judged }: Judged<'refused'>,
): Promise<void> {
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
}

/** Opens the requests of what asks; answers with the verdicts that are still to be stored. */
async function openAsking(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  asking: readonly Judged<'asks'>[],
): Promise<CallVerdict[]> {
  const [first] = asking
  if (first === undefined) return []
  const [agentReasonHash, presented] = await together([
    agentReasonOf(unit.tx, run.id, first.call.turn),
    storeAllPresented(
      unit.tx,
      asking.map(({ judged }) => judged),
    ),
  ])
  const opened = await openRequests(
    unit,
    run,
    asking.map((one, place) => askedAbout(one, presented[place], agentReasonHash)),
  )
  for (const { call, judged } of asking) {
    const { judgement, attachments } = judged
    const caller = judgementCaller(judgement)
    const attaching = { run, call, judgement, attachments, agentReasonHash, attempt: 1 }
    await openAttachments(unit, caller, attaching)
  }
  return asking.map(({ call, judged: { judgement } }, place) => ({
    caller: judgementCaller(judgement),
    call,
    judgement,
    requestId: opened[place]?.requestId ?? null,
  }))
}

function askedAbout(
  { call, judged: { asks, judgement } }: Judged<'asks'>,
  presented: StoredPresentation | undefined,
  agentReasonHash: string | null,
): AskedOpening {
  if (presented === undefined) throw new TypeError(`Call ${call.id} shows nothing`)
  return {
    caller: judgementCaller(judgement),
    opening: {
      kind: asks,
      call,
      ...openingOf(judgement),
      presented,
      agentReasonHash,
      attempt: 1,
      previous: [],
      outcomeOf: null,
    },
  }
}
