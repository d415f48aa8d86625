import type { Caller, ServiceContext } from '../../core/context.ts'
import {
  loadTranscriptWithOpenCalls,
  type TranscriptCall,
  type TranscriptMessage,
} from '../../transcript/load-transcript.ts'
import { liveCallsOf, type LiveCall } from '#store/content/live-output.ts'
import { readCallFacts, type CallApproval, type CallTimes } from './call-facts.ts'
import { childrenOf } from './children-of.ts'
import { assertVisible } from '../visible-run.ts'

/** A message with the turn it belongs to: one that no turn has read yet counts to the next. */
export interface TranscriptItem extends TranscriptMessage {
  readonly turn: number
  readonly calls: readonly TranscriptItemCall[]
}

/** A call with what only those who look at the run are told. */
export interface TranscriptItemCall extends TranscriptCall {
  /** the run that it started, if it is a delegation that did and the caller may see that run */
  readonly childRunId: string | null
  /** what it has written so far, while it has no result */
  readonly live: LiveCall | null
  /** whose approval it has; `null`: nobody's */
  readonly approval: CallApproval | null
  readonly times: CallTimes | null
}

/**
 * A run's messages, calls and results, in the order the model meets them. Rejects with `not_found`.
 */
export async function readTranscript(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<readonly TranscriptItem[]> {
  const viewer = await assertVisible(ctx, caller, runId)
  const children = await childrenOf(ctx.db, viewer, runId)
  const messages = await loadTranscriptWithOpenCalls(ctx.db, runId)
  const isOpen = messages.some(({ calls }) => calls.some(({ result }) => result === null))
  const live = isOpen ? await liveCallsOf(ctx.db, runId) : []
  const hasCalls = messages.some(({ calls }) => calls.length > 0)
  const facts = hasCalls ? await readCallFacts(ctx.db, runId) : new Map<string, never>()
  const next = Math.max(0, ...messages.map((message) => message.turn ?? 0)) + 1
  return messages.map((message) => ({
    ...message,
    turn: message.turn ?? next,
    calls: message.calls.map((call) => ({
      ...call,
      childRunId: children.findLast((child) => child.callId === call.callId)?.runId ?? null,
      live: live.find((one) => one.callId === call.callId) ?? null,
      approval: facts.get(call.callId)?.approval ?? null,
      times: facts.get(call.callId)?.times ?? null,
    })),
  }))
}
