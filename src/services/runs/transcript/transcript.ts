import type { Caller, ServiceContext } from '../../context.ts'
import {
  loadWholeTranscript,
  type TranscriptCall,
  type TranscriptMessage,
} from '../../turns/load-transcript.ts'
import { childrenOf } from '../children-of.ts'
import { assertVisible } from '../visible-run.ts'

/** A message with the turn it belongs to: one that no turn has read yet counts to the next. */
export interface TranscriptItem extends TranscriptMessage {
  readonly turn: number
  readonly calls: readonly TranscriptItemCall[]
}

/** A call with the run that it started, if it is a delegation that did and the caller may see that run. */
export interface TranscriptItemCall extends TranscriptCall {
  readonly childRunId: string | null
}

/** A run's messages, calls and results, in the order the model meets them. Rejects with `not_found`. */
export async function readTranscript(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<readonly TranscriptItem[]> {
  const viewer = await assertVisible(ctx, caller, runId)
  const children = await childrenOf(ctx.db, viewer, runId)
  const messages = await loadWholeTranscript(ctx.db, runId)
  const next = Math.max(0, ...messages.map((message) => message.turn ?? 0)) + 1
  return messages.map((message) => ({
    ...message,
    turn: message.turn ?? next,
    calls: message.calls.map((call) => ({
      ...call,
      childRunId: children.findLast((child) => child.callId === call.callId)?.runId ?? null,
    })),
  }))
}
