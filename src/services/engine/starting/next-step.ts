import { readRemarks } from '../../requests/words/read-remarks.ts'
import { callWorkerName } from '#domain/tools/built-in-tools.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import type { CancelReason } from '#domain/requests/request.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { sql, type Selectable } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { expireLocked } from '../../requests/ending/expire-locked.ts'
import { getSaltedText } from '../../requests/words/salted-text.ts'
import { childOf, endOfChild } from '../delegation/child-run.ts'
import { cancelRequests } from '../../requests/ending/cancel-requests.ts'
import { lockDelegation } from '../../requests/ending/lock-delegation.ts'
import { lockRequests } from '../../core/locks.ts'
import {
  cancelledText,
  deniedText,
  expiredText,
  unknownText,
} from '../../transcript/result-texts.ts'
import { storeResult, type CallResult } from '../../transcript/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { lockCall, waitFor, type CallAtHand } from '../attempts/call-at-hand.ts'
import { isRepeated } from '../attempts/repeat-attempt.ts'
import { readToPlan, type PlanReadings } from './read-to-plan.ts'
import { finishLocked } from '../attempts/finish-execution.ts'
import { settledResult } from '../attempts/settled-result.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, executor } from '../../core/authority.ts'

/**
 * The next step of a call: an answer for the workflow, its effect, or the settlement of a lost
 * attempt.
 */
export type NextStep =
  | { readonly next: 'answer'; readonly outcome: CallOutcome }
  | { readonly next: 'act'; readonly at: CallAtHand; readonly readings: PlanReadings }
  | { readonly next: 'settle'; readonly attempt: number }

/**
 * Finds the next step of a call (architecture.md, executeCall): the call may have a result, a
 * request that waits or has ended without approval, or a started attempt. A call that may run is
 * read without a lock, since its start reads it again; every other one under the run's lock. Stores
 * results that need no effect.
 */
export async function findNextStep(ctx: SystemContext, callId: string): Promise<NextStep> {
  const { at: current, readings } = await readToPlan(ctx, callId)
  if (current !== null && mayRun(current)) return { next: 'act', at: current, readings }
  return inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCall(unit.tx, callId)
    // A call is stored before its workflow gets its id: an id without a row is forged.
    if (at === null || isEnd(runTransitions, at.run.state)) return answer({ kind: 'ended' })
    if (at.call.result_type !== null) return answer({ kind: 'done' })
    if (at.call.verdict === null) return answer({ kind: 'ended' })
    if (at.isStopped && at.execution === null && !endedBefore(at)) {
      return finish(unit, at, { type: 'cancelled', text: cancelledText(siblingText) })
    }
    if (at.execution?.state === 'started') {
      return (await stepOfDelegation(unit, at)) ?? settle(at.execution)
    }
    if (isRepeated(at)) return stepOfUndecided(unit, at)
    if (at.execution?.settled_then === 'again') return act(at)
    if (at.execution !== null && at.execution.settled_then !== null) {
      return finish(unit, at, settledResult(at.execution))
    }
    if (at.execution?.state === 'unknown') return unknownAttempt(unit, at)
    return stepOfUndecided(unit, at)
  })
}

/**
 * A call that a denial or an expiry has ended keeps that result when the run is stopped later
 * (product.md 7).
 */
function endedBefore({ request }: CallAtHand): boolean {
  return request?.state === 'denied' || request?.state === 'expired'
}

/** There is no attempt to continue: the call needs no request, or its request decides. */
async function stepOfUndecided(unit: UnitOfWork, at: CallAtHand): Promise<NextStep> {
  return at.call.verdict === 'preApproved' ? act(at) : stepOfRequests(unit, at)
}

/**
 * Whether the call may run and has no attempt yet. It takes no lock, since that transaction would
 * wait for the disk. The start checks all of this again under the locks.
 */
export function mayRun({ run, call, request, execution, isStopped }: CallAtHand): boolean {
  const isOpen = !isEnd(runTransitions, run.state) && call.result_type === null
  // A delegation has other requests besides its own.
  const isFirst = execution === null && !isStopped && call.tool !== callWorkerName
  if (!isOpen || !isFirst) return false
  return call.verdict === 'ask' ? request?.state === 'approved' : call.verdict === 'preApproved'
}

const siblingText = 'a person denied an earlier call of the same turn and stopped the rest'

const whyCancelled = new Map<CancelReason | null, string>([
  ['sibling_denied', siblingText],
  ['delegation_revoked', 'an approval that it needs was revoked'],
  // What earlier versions wrote instead.
  ['delegation_denied', 'an approval that it needs was revoked'],
])

async function stepOfRequests(unit: UnitOfWork, at: CallAtHand): Promise<NextStep> {
  const requests = await lockRequestsOf(unit.tx, at)
  if (requests.length === 0)
    throw new Error(`Call ${at.call.id} needs an approval, and has no request`)
  const pending: string[] = []
  const ends: { readonly request: Selectable<RequestTable>; readonly result: CallResult }[] = []
  for (const request of requests) {
    const result = await resultOf(unit, request)
    if (result === 'pending') pending.push(request.id)
    else if (result !== null) ends.push({ request, result })
  }
  const [end] = ends.toSorted((a, b) => precedenceOf(a.result) - precedenceOf(b.result))
  if (end !== undefined) {
    // One request of a delegation ends it: the others leave their queues.
    const siblings = requests.filter(({ id }) => id !== end.request.id)
    await cancelRequests(unit, siblings, 'delegation_denied')
    return finish(unit, at, end.result)
  }
  if (pending.length > 0) return answer(await waitFor(unit.tx, at.run.id, pending))
  return act({ ...at, request: requests.find(isOf(at)) ?? at.request })
}

/**
 * The request that ended a delegation comes before those that were cancelled with it, so that the
 * model reads why (product.md 41).
 */
function precedenceOf({ type }: CallResult): number {
  if (type === 'denied') return 0
  return type === 'expired' ? 1 : 2
}

function isOf({ call }: CallAtHand): (request: { readonly id: string }) => boolean {
  return ({ id }) => id === call.request_id
}

/**
 * The request about a call, and for a delegation those about its attachments, which can end it too.
 */
async function lockRequestsOf(tx: Tx, at: CallAtHand): Promise<Selectable<RequestTable>[]> {
  if (at.request === null) return []
  if (at.call.tool !== callWorkerName) return lockRequests(tx, [at.request.id])
  return lockDelegation(tx, at.call.id, at.request.id)
}

/**
 * The effect of a request on its call: none yet, a result, or `null` when it was approved. The
 * caller holds its lock.
 */
async function resultOf(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
): Promise<CallResult | 'pending' | null> {
  switch (request.state) {
    case 'pending': {
      if (!(await hasExpired(unit.tx, request.id))) return 'pending'
      await expireLocked(unit, request)
      return { type: 'expired', text: expiredText() }
    }
    case 'approved':
      return null
    case 'denied': {
      const denial = await unit.tx
        .selectFrom('decision')
        .select(['reason_hash', 'at'])
        .where('request_id', '=', request.id)
        .where('revision', '=', request.revision)
        .where('decision', '=', 'deny')
        .executeTakeFirst()
      const reason = await getSaltedText(unit.tx, denial?.reason_hash ?? null)
      const attachment = request.kind === 'attachment' ? request.title : null
      const remarks = await readRemarks(unit.tx, request.id, denial?.at ?? null)
      const denied = { tool: request.tool, attachment, reason, ...remarks }
      return { type: 'denied', text: deniedText(denied) }
    }
    case 'expired':
      return { type: 'expired', text: expiredText() }
    case 'cancelled': {
      const why = whyCancelled.get(request.cancel_reason) ?? 'its approval request was cancelled'
      return { type: 'cancelled', text: cancelledText(why) }
    }
  }
}

/** The step of an attempt that started a run, by the state of that run. */
async function stepOfDelegation(unit: UnitOfWork, at: CallAtHand): Promise<NextStep | null> {
  const child = await childOf(unit.tx, at)
  if (child === null || at.execution === null) return null
  const end = endOfChild(child)
  if (end === null) return answer(await waitFor(unit.tx, at.run.id, [child.id]))
  const { attempt, executed_digest: digest } = at.execution
  await finishLocked(unit, at, { callId: at.call.id, attempt, digest: digest ?? '' }, end)
  return answer({ kind: 'done' })
}

/**
 * Nobody knows how the last attempt ended: it waits for its outcome check, which may have ended
 * without an answer.
 */
async function unknownAttempt(unit: UnitOfWork, at: CallAtHand): Promise<NextStep> {
  const check = await unit.tx
    .selectFrom('request')
    .select(['id', 'state'])
    .where('call_id', '=', at.call.id)
    .where('kind', '=', 'outcome_check')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (check?.state === 'pending') return answer(await waitFor(unit.tx, at.run.id, [check.id]))
  return finish(unit, at, { type: 'unknown', text: unknownText() })
}

async function finish(unit: UnitOfWork, at: CallAtHand, result: CallResult): Promise<NextStep> {
  await storeResult(unit.tx, at.call.id, result)
  await unit.event('run.changed', { runId: at.run.id })
  return answer({ kind: 'done' })
}

/**
 * The call was read once more under the lock, maybe long after `readings`: its plan reads the input
 * and the policy itself.
 */
function act(at: CallAtHand): NextStep {
  return { next: 'act', at, readings: { input: null, policy: null } }
}

function settle({ attempt }: { readonly attempt: number }): NextStep {
  return { next: 'settle', attempt }
}

function answer(outcome: CallOutcome): NextStep {
  return { next: 'answer', outcome }
}

async function hasExpired(tx: Tx, requestId: string): Promise<boolean> {
  const expired = await tx
    .selectFrom('request')
    .select('id')
    .where('id', '=', requestId)
    .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return expired !== undefined
}
