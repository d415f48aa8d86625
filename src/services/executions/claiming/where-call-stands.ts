import type { CallOutcome } from '../../../domain/workflow-outcomes.ts'
import { isEnd, runTransitions } from '../../../domain/transitions.ts'
import { sql, type Selectable } from 'kysely'
import { callWorkerName } from '../../../policy/worker/built-in-tool-names.ts'
import type { Tx } from '../../../store/database.ts'
import type { RequestTable } from '../../../store/tables/requests.ts'
import { expireLocked } from '../../decisions/ending/expire-locked.ts'
import { getSaltedText } from '../../decisions/salted-text.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { childOf, endOfChild } from '../../delegation/child-standing.ts'
import { endCompanions, lockDelegation } from '../../delegation/companions.ts'
import { lockRequests } from '../../locks.ts'
import { nextDeadlineMs } from '../../runs/advance-requests.ts'
import {
  cancelledText,
  deniedText,
  expiredText,
  unknownText,
} from '../../runs/transcript/result-texts.ts'
import { storeResult, type CallResult } from '../../runs/transcript/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../../unit-of-work.ts'
import { lockCall, readCall, type CallAtHand } from './call-at-hand.ts'
import { isRepeated } from '../attempts/repeat-attempt.ts'
import { finishLocked } from '../finish-execution.ts'
import { settledResult } from '../settled-result.ts'

/** What is to be done with a call: an answer for the workflow, its effect, or finding out about a lost attempt. */
export type Standing =
  | { readonly next: 'answer'; readonly outcome: CallOutcome }
  | { readonly next: 'act'; readonly at: CallAtHand }
  | { readonly next: 'settle' }

/**
 * Answers for whatever is found of a call, under the run's lock (architecture.md, executeCall): a result there already,
 * a request that waits or has ended without approval, an attempt that was started. What only needs to be written down
 * is written here.
 */
export async function whereCallStands(ctx: ServiceContext, callId: string): Promise<Standing> {
  const seen = await readCall(ctx.db, callId)
  if (seen !== null && isApproved(seen)) return { next: 'act', at: seen }
  return inUnitOfWork(ctx, async (unit) => {
    const at = await lockCall(unit.tx, callId)
    // Calls come to be before their workflow hears of them: one that nobody recorded is forged.
    if (at === null || isEnd(runTransitions, at.run.state)) return answer({ kind: 'ended' })
    if (at.call.result_type !== null) return answer({ kind: 'done' })
    if (at.call.verdict === null) return answer({ kind: 'ended' })
    if (at.stopped && at.execution === null && !endedBefore(at)) {
      return finish(unit, at, { type: 'cancelled', text: cancelledText(siblingText) })
    }
    if (at.execution?.state === 'started') {
      return (await delegated(unit, at)) ?? { next: 'settle' }
    }
    if (isRepeated(at)) return undecided(unit, at)
    if (at.execution?.settled_then === 'again') return { next: 'act', at }
    if (at.execution !== null && at.execution.settled_then !== null) {
      return finish(unit, at, settledResult(at.execution))
    }
    if (at.execution?.state === 'unknown') return unknownAttempt(unit, at)
    return undecided(unit, at)
  })
}

/** What a denial or the time has ended stays so, whatever is stopped later (product.md 7). */
function endedBefore({ request }: CallAtHand): boolean {
  return request?.state === 'denied' || request?.state === 'expired'
}

/** No attempt counts: nobody need be asked, or the request says how it stands. */
async function undecided(unit: UnitOfWork, at: CallAtHand): Promise<Standing> {
  return at.call.verdict === 'preApproved' ? { next: 'act', at } : asked(unit, at)
}

/** It was approved and nothing was tried yet: no lock is needed to see that, since claiming it looks again under them. */
function isApproved({ run, call, request, execution, stopped }: CallAtHand): boolean {
  const isOpen = !isEnd(runTransitions, run.state) && call.result_type === null
  // A delegation has other requests beside its own.
  const isFirst = execution === null && !stopped && call.tool !== callWorkerName
  return isOpen && isFirst && call.verdict === 'ask' && request?.state === 'approved'
}

const siblingText = 'a person denied an earlier call of the same turn and stopped the rest'

async function asked(unit: UnitOfWork, at: CallAtHand): Promise<Standing> {
  const requests = await lockAsked(unit.tx, at)
  if (requests.length === 0) throw new Error(`Call ${at.call.id} asks, and nobody was asked`)
  const pending: string[] = []
  for (const request of requests) {
    const result = await resultOf(unit, request)
    if (result === 'pending') pending.push(request.id)
    else if (result !== null) {
      // One part of a delegation ends it: nobody is asked about the others any more.
      const others = requests.filter(({ id }) => id !== request.id)
      await endCompanions(unit, executor, others, 'delegation_denied')
      return finish(unit, at, result)
    }
  }
  if (pending.length > 0) return waitFor(unit.tx, at, pending)
  return { next: 'act', at: { ...at, request: requests.find(isOf(at)) ?? at.request } }
}

const executor: Caller = { actor: { type: 'system', name: 'executor' }, channel: 'workflow' }

function isOf({ call }: CallAtHand): (request: { readonly id: string }) => boolean {
  return ({ id }) => id === call.request_id
}

/** The request about a call; of a delegation also those about its attachments, by which it may end too. */
async function lockAsked(tx: Tx, at: CallAtHand): Promise<Selectable<RequestTable>[]> {
  if (at.request === null) return []
  if (at.call.tool !== callWorkerName) return lockRequests(tx, [at.request.id])
  return lockDelegation(tx, at.call.id, at.request.id)
}

/** What a request leaves its call: nothing yet, a result, or `null` when it was approved. The caller holds its lock. */
async function resultOf(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
): Promise<CallResult | 'pending' | null> {
  switch (request.state) {
    case 'pending': {
      if (!(await isOver(unit.tx, request.id))) return 'pending'
      await expireLocked(unit, request)
      return { type: 'expired', text: expiredText() }
    }
    case 'approved':
      return null
    case 'denied': {
      const denial = await unit.tx
        .selectFrom('decision')
        .select('reason_hash')
        .where('request_id', '=', request.id)
        .where('revision', '=', request.revision)
        .where('decision', '=', 'deny')
        .executeTakeFirst()
      const reason = await getSaltedText(unit.tx, denial?.reason_hash ?? null)
      const what = request.kind === 'attachment' ? `${request.title}: ` : ''
      return { type: 'denied', text: `${what}${deniedText(reason)}` }
    }
    case 'expired':
      return { type: 'expired', text: expiredText() }
    case 'cancelled': {
      const why =
        request.cancel_reason === 'sibling_denied'
          ? siblingText
          : 'its approval request was cancelled'
      return { type: 'cancelled', text: cancelledText(why) }
    }
  }
}

/** An attempt that started a run of its own: how far that run is, as the store says. */
async function delegated(unit: UnitOfWork, at: CallAtHand): Promise<Standing | null> {
  const child = await childOf(unit.tx, at)
  if (child === null || at.execution === null) return null
  const end = endOfChild(child)
  if (end === null) return waitFor(unit.tx, at, [child.id])
  const { attempt, executed_digest: digest } = at.execution
  await finishLocked(unit, at, { callId: at.call.id, attempt, digest: digest ?? '' }, end)
  return answer({ kind: 'done' })
}

/** Nobody knows how the last attempt ended: it waits for its outcome check, which may have ended without an answer. */
async function unknownAttempt(unit: UnitOfWork, at: CallAtHand): Promise<Standing> {
  const check = await unit.tx
    .selectFrom('request')
    .select(['id', 'state'])
    .where('call_id', '=', at.call.id)
    .where('kind', '=', 'outcome_check')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (check?.state === 'pending') return waitFor(unit.tx, at, [check.id])
  return finish(unit, at, { type: 'unknown', text: unknownText() })
}

async function finish(unit: UnitOfWork, at: CallAtHand, result: CallResult): Promise<Standing> {
  await storeResult(unit.tx, at.call.id, result)
  await unit.event('run.changed', { runId: at.run.id })
  return answer({ kind: 'done' })
}

async function waitFor(tx: Tx, at: CallAtHand, requestIds: string[]): Promise<Standing> {
  const deadline = await nextDeadlineMs(tx, at.run.id)
  return answer({ kind: 'wait', requestIds, nextDeadlineMs: deadline })
}

function answer(outcome: CallOutcome): Standing {
  return { next: 'answer', outcome }
}

async function isOver(tx: Tx, requestId: string): Promise<boolean> {
  const over = await tx
    .selectFrom('request')
    .select('id')
    .where('id', '=', requestId)
    .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return over !== undefined
}
