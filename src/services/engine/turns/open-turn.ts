import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { sql, type Selectable } from 'kysely'
import type { TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import { newId } from '#domain/new-id.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable, ToolCallTable } from '#store/tables/runs.ts'
import { together } from '#store/connection/side-by-side.ts'
import { contentsToStore, type PackedContents } from '#store/content/content.ts'
import { unmarkUnusable } from '../attempts/unusable-workspace.ts'
import { openAttachments } from '../delegation/attachments.ts'
import { lockRunFirst } from '../../core/locks.ts'
import { readPrincipals } from '../../requests/opening/read-principals.ts'
import { openingOf, openRequests, type RequestToOpen } from '../../requests/opening/open-request.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import {
  judgementCaller,
  agentReason,
  auditVerdicts,
  recordVerdicts,
  storeRefusal,
  verdictsToStore,
  type CallVerdict,
} from '../judging/record-verdict.ts'
import type { JudgedCall } from '../judging/judge-turn.ts'
import { packPresented } from '../../requests/opening/store-presented.ts'
import { storeResult } from '../../transcript/store-result.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, workflow } from '../../core/authority.ts'
import { callsToPlan, planOf } from './plan-turn.ts'

interface JudgedTurn {
  readonly runId: string
  readonly turn: number
  readonly judged: readonly JudgedCall[]
}

/**
 * Stores the result of judging a turn in one transaction: verdicts, the results of refused calls,
 * and the requests of those that ask. Stores nothing when another attempt was first, or the run has
 * ended. Returns the remaining steps of the turn, which a last statement of the transaction reads.
 */
export async function openTurn(ctx: SystemContext, turn: JudgedTurn): Promise<TurnOutcome> {
  const calls = await inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) => {
    await openCalls(unit, turn)
    return unit.sendLast(callsToPlan(unit.tx, turn.runId, turn.turn))
  })
  return planOf(calls.rows)
}

async function openCalls(unit: UnitOfWork, turn: JudgedTurn): Promise<void> {
  const isAsking = turn.judged.some(({ kind }) => kind === 'asks')
  const [run, calls, behind] = await together([
    lockRunFirst(unit.tx, turn.runId),
    readUnjudged(unit.tx, turn.runId, turn.turn),
    isAsking ? readPrincipals(unit.tx, turn.runId, []) : Promise.resolve(null),
  ])
  if (run === undefined || isEnd(runTransitions, run.state)) return
  const [first] = calls
  const agentReasonHash = first?.agent_reason ?? null
  if (first !== undefined) unit.setReadAt(first.now)
  await unmarkUnusable(unit, run)
  for (const one of judgedAs(calls, turn.judged, 'refused')) await refuseCall(unit, run, one)
  const asking = judgedAs(calls, turn.judged, 'asks').map((one) => openingFor(one, agentReasonHash))
  const settled = judgedAs(calls, turn.judged, 'judged')
  const verdicts = [
    ...settled.map((one) => verdictOf(one, null)),
    ...asking.map(({ asks, requestId }) => verdictOf(asks, requestId)),
  ]
  if (asking.length === 0 || behind === null) await recordVerdicts(unit, run, verdicts)
  else {
    const beside = [
      contentsToStore(asking.map((one) => one.contents)),
      sql`verdicts as (${verdictsToStore(verdicts)})`,
    ]
    const insert = await openRequests(unit, run, asking, { behind, beside })
    // The requests about attachments read the requests of their calls.
    const isRead = asking.some(({ asks: { verdict } }) => verdict.attachments.length > 0)
    if (isRead) await insert.execute(unit.tx)
    else unit.sendLast(insert)
    await auditVerdicts(unit, run, verdicts)
  }
  for (const { asks } of asking) await openItsAttachments(unit, run, asks, agentReasonHash)
  for (const { call, verdict } of settled) await storeRefusal(unit.tx, call.id, verdict.judgement)
}

/** The calls of a turn without a verdict, each with the time and with what its message says. */
async function readUnjudged(tx: Tx, runId: string, turn: number) {
  return tx
    .selectFrom('tool_call')
    .selectAll()
    .select([agentReason.as('agent_reason'), sql<Date>`clock_timestamp()`.as('now')])
    .where('run_id', '=', runId)
    .where('turn', '=', turn)
    .where('verdict', 'is', null)
    .execute()
}

/** A call without a stored verdict, with the result of judging it. */
interface JudgedRow<Kind extends JudgedCall['kind']> {
  readonly call: Selectable<ToolCallTable>
  readonly verdict: Extract<JudgedCall, { readonly kind: Kind }>
}

function judgedAs<Kind extends JudgedCall['kind']>(
  calls: readonly Selectable<ToolCallTable>[],
  verdicts: readonly JudgedCall[],
  kind: Kind,
): JudgedRow<Kind>[] {
  return verdicts.flatMap((verdict) => {
    const call = calls.find((one) => one.id === verdict.callId)
    return call === undefined || !isOfKind(verdict, kind) ? [] : [{ call, verdict }]
  })
}

function isOfKind<Kind extends JudgedCall['kind']>(
  verdict: JudgedCall,
  kind: Kind,
): verdict is Extract<JudgedCall, { readonly kind: Kind }> {
  return verdict.kind === kind
}

/** A call that could not be judged ends with an error. */
async function refuseCall(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  { call, verdict }: JudgedRow<'refused'>,
): Promise<void> {
  await unit.tx
    .updateTable('tool_call')
    .set({ verdict: 'error' })
    .where('id', '=', call.id)
    .execute()
  await storeResult(unit.tx, call.id, { type: 'error', text: verdict.text })
  await unit.audit({
    type: 'call.judged',
    runId: run.id,
    callId: call.id,
    detail: { verdict: 'error', turn: call.turn, position: call.position },
  })
}

/** A request to open, and the contents of its presentation. */
interface RequestWithContents extends RequestToOpen {
  readonly asks: JudgedRow<'asks'>
  readonly contents: PackedContents
}

function openingFor(asks: JudgedRow<'asks'>, agentReasonHash: string | null): RequestWithContents {
  const { call, verdict } = asks
  const { presented, contents } = packPresented(verdict)
  return {
    asks,
    contents,
    requestId: newId(),
    caller: judgementCaller(verdict.judgement),
    opening: {
      kind: verdict.asks,
      call,
      ...openingOf(verdict.judgement),
      presented,
      agentReasonHash,
      attempt: 1,
      previous: [],
      outcomeOf: null,
    },
  }
}

function verdictOf(
  { call, verdict: { judgement } }: JudgedRow<'asks'> | JudgedRow<'judged'>,
  requestId: string | null,
): CallVerdict {
  return { caller: judgementCaller(judgement), call, judgement, requestId }
}

async function openItsAttachments(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  { call, verdict: { judgement, attachments } }: JudgedRow<'asks'>,
  agentReasonHash: string | null,
): Promise<void> {
  const attaching = { run, call, judgement, attachments, agentReasonHash, attempt: 1, replaced: [] }
  await openAttachments(unit, judgementCaller(judgement), attaching)
}
