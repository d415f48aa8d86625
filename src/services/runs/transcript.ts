import type { Caller, ServiceContext } from '../context.ts'
import { loadWholeTranscript, type TranscriptMessage } from '../turns/load-transcript.ts'
import { assertVisible } from './visible-run.ts'

/** A message with the turn it belongs to: one that no turn has read yet counts to the next. */
export interface TranscriptItem extends TranscriptMessage {
  readonly turn: number
}

/** A run's messages, calls and results, in the order the model meets them. Rejects with `not_found`. */
export async function readTranscript(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<readonly TranscriptItem[]> {
  await assertVisible(ctx, caller, runId)
  const messages = await loadWholeTranscript(ctx.db, runId)
  const next = Math.max(0, ...messages.map((message) => message.turn ?? 0)) + 1
  return messages.map((message) => ({ ...message, turn: message.turn ?? next }))
}
