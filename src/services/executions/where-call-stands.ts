import type { CallOutcome } from '../../domain/workflow-outcomes.ts'
import { isEnd, runTransitions } from '../../domain/transitions.ts'
import { sql } from 'kysely'
import type { Tx } from '../../store/database.ts'
import { expireLocked } from '../decisions/expire-locked.ts'
import { getSaltedText } from '../decisions/salted-text.ts'
import type { ServiceContext } from '../context.ts'
import { lockRequests } from '../locks.ts'
import { nextDeadlineMs } from '../runs/advance-requests.ts'
import { cancelledText, deniedText, expiredText, unknownText } from '../runs/result-texts.ts'
import { storeResult, type CallResult } from '../runs/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { lockCall, readCall, type CallAtHand } from './call-at-hand.ts'
import { isRepeated } from './repeat-attempt.ts'
import { settledResult } from './settled-result.ts'

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
    if (at.execution?.state === 'started') return { next: 'settle' }
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
  const isFirst = execution === null && !stopped
  return isOpen && isFirst && call.verdict === 'ask' && request?.state === 'approved'
}

const siblingText = 'a person denied an earlier call of the same turn and stopped the rest'

async function asked(unit: UnitOfWork, at: CallAtHand): Promise<Standing> {
  const [request] = await lockRequests(unit.tx, at.request === null ? [] : [at.request.id])
  if (request === undefined) throw new Error(`Call ${at.call.id} asks, and nobody was asked`)
  if (request.state === 'pending' && (await isOver(unit.tx, request.id))) {
    await expireLocked(unit, request)
    return finish(unit, at, { type: 'expired', text: expiredText() })
  }
  switch (request.state) {
    case 'pending':
      return waitFor(unit.tx, at, request.id)
    case 'approved':
      return { next: 'act', at: { ...at, request } }
    case 'denied': {
      const denial = await unit.tx
        .selectFrom('decision')
        .select('reason_hash')
        .where('request_id', '=', request.id)
        .where('revision', '=', request.revision)
        .where('decision', '=', 'deny')
        .executeTakeFirst()
      const reason = await getSaltedText(unit.tx, denial?.reason_hash ?? null)
      return finish(unit, at, { type: 'denied', text: deniedText(reason) })
    }
    case 'expired':
      return finish(unit, at, { type: 'expired', text: expiredText() })
    case 'cancelled': {
      const why =
        request.cancel_reason === 'sibling_denied'
          ? siblingText
          : 'its approval request was cancelled'
      return finish(unit, at, { type: 'cancelled', text: cancelledText(why) })
    }
  }
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
  if (check?.state === 'pending') return waitFor(unit.tx, at, check.id)
  return finish(unit, at, { type: 'unknown', text: unknownText() })
}

async function finish(unit: UnitOfWork, at: CallAtHand, result: CallResult): Promise<Standing> {
  await storeResult(unit.tx, at.call.id, result)
  await unit.event('run.changed', { runId: at.run.id })
  return answer({ kind: 'done' })
}

async function waitFor(tx: Tx, at: CallAtHand, requestId: string): Promise<Standing> {
  const deadline = await nextDeadlineMs(tx, at.run.id)
  return answer({ kind: 'wait', requestIds: [requestId], nextDeadlineMs: deadline })
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
