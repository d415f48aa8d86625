import { readCallState, type GatewayCallState } from '#services/gateway/read-call-state.ts'
import { recordWaitingCaller } from '#services/gateway/record-waiting-caller.ts'
import type { Caller } from '#services/core/context.ts'
import type { Api } from '../context/api.ts'
import { waitersOf } from '../held-open/subject-waiters.ts'
import { progressEveryMs } from './progress.ts'
import { holdAnswer, WakeSignal } from '../held-open/wait-for-request.ts'

/** The least time to wait for an approved call that is carried out for its caller. */
const executionMs = 45_000

/**
 * If another connection of the caller holds the call, that connection records within this time
 * after the approval that it wants the call. A wait ends only after it.
 */
const otherCallerMs = 2_000

/** The call that is followed, and for how long. */
export interface CallToFollow {
  readonly server: string
  readonly requestId: string
  /** how long people are waited for and, unless `isForCaller`, how long in all */
  readonly holdMs: number
  /** whether an approved call is carried out, because its caller is connected */
  readonly isForCaller: boolean
  /** fires when the caller has disconnected */
  readonly signal: AbortSignal
  /** called now and then while it waits, with the seconds so far */
  readonly onWait: ((callState: GatewayCallState, seconds: number) => void) | null
}

/**
 * Follows a gateway call until it has ended or the time is over, and returns its state. Reads the
 * store only when the event feed reports a change.
 */
export async function followCall(
  api: Api,
  caller: Caller,
  following: CallToFollow,
): Promise<GatewayCallState> {
  const { server, requestId, holdMs, isForCaller, signal, onWait } = following
  const read = (): Promise<GatewayCallState> =>
    readCallState(api.ctx, caller, server, { request: requestId })
  const first = await read()
  if (hasEnded(first)) return first
  const release = holdAnswer()
  const began = performance.now()
  const over = new AbortController()
  const end = (): void => over.abort()
  const timers = [holdMs, Math.max(holdMs, executionMs)].map((ms) => setTimeout(() => wake(), ms))
  for (const stopping of [signal, api.stopping]) stopping?.addEventListener('abort', end)
  if (signal.aborted) end()
  const looks = new WakeSignal(over.signal)
  const wake = (): void => looks.wake()
  const stop = waitersOf(api.events).watch(requestId, wake)
  let callState = first
  const reports = setInterval(() => onWait?.(callState, secondsSince(began)), progressEveryMs)
  let isRecorded = false
  let approvedMs: number | null = null
  try {
    for (;;) {
      callState = await read()
      if (hasEnded(callState) || over.signal.aborted) return callState
      if (!isForCaller && waitsForNextCall(callState)) {
        if (approvedMs === null) {
          approvedMs = performance.now()
          timers.push(setTimeout(() => wake(), otherCallerMs))
        }
        if (performance.now() - approvedMs >= otherCallerMs - 1) return callState
      }
      if (callState.state === 'approved' && !callState.hasStarted && isForCaller && !isRecorded) {
        isRecorded = true
        await recordWaitingCaller(api.ctx, caller, requestId)
      }
      const isCarriedOut = callState.state === 'approved' && isForCaller
      const maxMs = isCarriedOut ? Math.max(holdMs, executionMs) : holdMs
      if (performance.now() - began >= maxMs - 1) return callState
      await looks.next()
    }
  } finally {
    clearInterval(reports)
    for (const timer of timers) clearTimeout(timer)
    for (const stopping of [signal, api.stopping]) stopping?.removeEventListener('abort', end)
    stop()
    release()
  }
}

/** Waiting cannot change it any more. */
export function hasEnded({ state, outcome, permit, refusal }: GatewayCallState): boolean {
  if (state === 'pending') return false
  return state !== 'approved' || outcome !== null || permit !== null || refusal !== null
}

/** It was approved, and is carried out only when its caller calls again. */
export function waitsForNextCall({
  state,
  hasStarted,
  byTask,
  isWanted,
}: GatewayCallState): boolean {
  return state === 'approved' && !hasStarted && !byTask && !isWanted
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 1000)
}
