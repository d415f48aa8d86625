import type { Actor } from '../../domain/actor.ts'
import type { Json } from '../../domain/json.ts'
import type { CallResultType } from '../../domain/request.ts'
import type { Rule, Verdict } from '../../domain/verdict.ts'
import { getTexts } from '../../store/content.ts'
import type { Db, Tx } from '../../store/database.ts'
import { readMessageText } from '../runs/message-text.ts'

export interface TranscriptResult {
  readonly type: CallResultType
  /** what the model was told */
  readonly text: string
  /** what the tool returned, when one ran */
  readonly output?: Json
}

export interface TranscriptCall {
  readonly callId: string
  readonly toolCallId: string
  readonly tool: string
  /** as the model wrote it; `{invalidJson}` when its arguments were not JSON */
  readonly input: Json
  readonly verdict: Verdict | null
  readonly rule: Rule | null
  readonly requestId: string | null
  readonly manual: boolean
  readonly result: TranscriptResult | null
}

export interface TranscriptMessage {
  /** the turn that made it, or that read it; `null` for a message no turn has read */
  readonly turn: number | null
  readonly role: 'user' | 'assistant'
  readonly author: Actor | null
  readonly at: Date
  readonly text: string
  readonly sequence: number
  readonly calls: readonly TranscriptCall[]
}

/** A run's messages in the order the model meets them: before a turn's answer what that turn read, unread ones last. */
export async function loadTranscript(db: Db | Tx, runId: string): Promise<TranscriptMessage[]> {
  const messages = await db
    .selectFrom('message')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('sequence')
    .execute()
  const calls = await db
    .selectFrom('tool_call')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('turn')
    .orderBy('position')
    .execute()
  const texts = await getTexts(db, [
    ...messages.map((message) => message.content_hash),
    ...calls.flatMap((call) =>
      [call.input_hash, call.result_text_hash, call.result_output_hash].filter(
        (hash) => hash !== null,
      ),
    ),
  ])
  const callsOfTurn = Map.groupBy(calls, (call) => call.turn)
  const textOf = (hash: string): string => texts.get(hash) ?? ''
  return messages
    .map((message) => ({
      turn: message.turn,
      role: message.role,
      author: message.author,
      at: message.created_at,
      text: readMessageText(textOf(message.content_hash)),
      sequence: message.sequence,
      calls:
        message.role === 'assistant' && message.turn !== null
          ? (callsOfTurn.get(message.turn) ?? []).map((call) => ({
              callId: call.id,
              toolCallId: call.tool_call_id,
              tool: call.tool,
              input: JSON.parse(textOf(call.input_hash)) as Json,
              verdict: call.verdict,
              rule: call.rule,
              requestId: call.request_id,
              manual: call.manual,
              result:
                call.result_type === null
                  ? null
                  : {
                      type: call.result_type,
                      text: call.result_text_hash === null ? '' : textOf(call.result_text_hash),
                      ...(call.result_output_hash === null
                        ? {}
                        : { output: JSON.parse(textOf(call.result_output_hash)) as Json }),
                    },
            }))
          : [],
    }))
    .toSorted(byReading)
}

function byReading(left: TranscriptMessage, right: TranscriptMessage): number {
  const turns = (left.turn ?? Infinity) - (right.turn ?? Infinity)
  if (turns !== 0 && !Number.isNaN(turns)) return turns
  if (left.role !== right.role) return left.role === 'user' ? -1 : 1
  return left.sequence - right.sequence
}
