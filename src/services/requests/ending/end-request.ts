import { sql, type Selectable } from 'kysely'
import type { CancelReason, DenialThen, RequestState } from '#domain/requests/request.ts'
import { requestTransitions, transition } from '#domain/requests/transitions.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { endUnstarted } from './end-unstarted.ts'
import { notifyProgram } from './notify-program.ts'
import { startGatewayTask } from './start-gateway-task.ts'
import { removePending } from '../facts/count-pending.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/** How a request ends; a cancellation has a reason, a denial what happens next. */
export type RequestEnding =
  | { readonly event: 'approve' }
  | { readonly event: 'expire' }
  | { readonly event: 'deny'; readonly then: DenialThen }
  | { readonly event: 'cancel'; readonly reason: CancelReason }

/**
 * Ends a pending request: its state, the run's count of pending requests, and the stream. The
 * caller holds the run's and the request's lock, has judged who may, and writes the trail and the
 * signal. Throws when the request is not pending: the caller checks that under the lock.
 */
export async function endRequest(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  ending: RequestEnding,
): Promise<void> {
  const state = transition(requestTransitions, request.state, ending.event)
  if (state === null) throw new Error(`Request ${request.id} is ${request.state} already`)
  const denied = ending.event === 'deny' ? ending.then : request.denied_then
  const cancelled = ending.event === 'cancel' ? ending.reason : request.cancel_reason
  const seal = unit.seals.again('request', request, { state, denied_then: denied })
  const end = sql`
    update request set state = ${state}, decided_at = clock_timestamp(), denied_then = ${denied},
      cancel_reason = ${cancelled}, seal = ${seal}
    where id = ${request.id} and state = ${request.state} returning id
  `
  const subject = { requestId: request.id, ...inRun(request.run_id) }
  const decided = ending.event === 'approve' || ending.event === 'deny'
  const type = decided ? 'request.decided' : 'request.closed'
  await unit.event(type, subject)
  if (request.run_id === null) {
    const { rows } = await end.execute(unit.tx)
    if (rows.length === 0) throw new Error(`Request ${request.id} was not locked`)
    if (state === 'approved') await startGatewayTask(unit, request.id)
    return notifyProgram(unit, { requestId: request.id, state, type })
  }
  const hasNewState = await removePending(unit.tx, request.run_id, end)
  if (hasNewState) await unit.event('run.changed', { runId: request.run_id })
  if (request.kind === 'start') await endStart(unit, request, state)
}

/** An approved start begins its run: its workflow waits for it as for a message. */
async function endStart(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  state: RequestState,
): Promise<void> {
  if (request.run_id === null) return
  const run = { id: request.run_id }
  if (state === 'denied') await endUnstarted(unit, run, startDenied)
  else if (state === 'expired') await endUnstarted(unit, run, startExpired)
  else await unit.enqueue({ kind: 'signal_messaged', runId: run.id, payload: {} })
}

const startDenied = {
  code: 'start_denied',
  message: 'The start of this run was denied. Nothing was carried out.',
} as const
const startExpired = {
  code: 'start_expired',
  message: 'Nobody decided on the start of this run in time. Nothing was carried out.',
} as const

/** `{runId}` when there is one: spread into events and audit entries. */
export function inRun(runId: string | null): { runId?: string } {
  return runId === null ? {} : { runId }
}

/** The ids that every audit entry about a request carries. */
export function aboutRequest(request: Selectable<RequestTable>): {
  requestId: string
  runId?: string
  callId?: string
} {
  return {
    requestId: request.id,
    ...inRun(request.run_id),
    ...(request.call_id === null ? {} : { callId: request.call_id }),
  }
}
