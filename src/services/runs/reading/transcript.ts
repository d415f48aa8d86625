import { elidedAt, type WindowStep } from '#domain/runs/window.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import {
  loadTranscriptWithOpenCalls,
  type TranscriptCall,
  type TranscriptMessage,
} from '../../transcript/load-transcript.ts'
import { picturesElidedAt, resultSize } from '../../transcript/model-messages.ts'
import { readWindowSteps } from '../../transcript/window-steps.ts'
import { liveCallsOf, type LiveCall } from '#store/content/live-output.ts'
import {
  readCallFacts,
  type CallApprovalRecord,
  type CallDenial,
  type CallTimes,
} from './call-facts.ts'
import { childrenOf } from './children-of.ts'
import { assertVisible } from '../visible-run.ts'

/**
 * A message with its turn (an unread one belongs to the next), or the summary that the model sees
 * in place of the oldest turns.
 */
export interface TranscriptItem extends Omit<TranscriptMessage, 'role' | 'calls'> {
  /** the turn from which on the model no longer sees its pictures; `null`: it sees them */
  readonly picturesElidedAt: number | null
  readonly role: TranscriptMessage['role'] | 'compaction'
  readonly turn: number
  /** of a summary: its first and last turn */
  readonly covers: readonly [number, number] | null
  readonly calls: readonly TranscriptItemCall[]
}

/** A call with facts for viewers of the run. */
export interface TranscriptItemCall extends TranscriptCall {
  /** the run that it started, if it is a delegation and the caller may see that run */
  readonly childRunId: string | null
  /** the turn from which on the model no longer sees its result; `null`: it sees it */
  readonly elidedAt: number | null
  /** its output so far, while it has no result */
  readonly live: LiveCall | null
  /** its approval; `null`: none */
  readonly approval: CallApprovalRecord | null
  /** who denied it; `null`: nobody */
  readonly denial: CallDenial | null
  readonly times: CallTimes | null
  /** the pending outcome check of a call whose end nobody knows; `null`: none */
  readonly outcomeCheck: string | null
}

/** A run's messages, calls and results, in the model's order. Rejects with `not_found`. */
export async function readTranscript(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<readonly TranscriptItem[]> {
  const viewer = await assertVisible(ctx, caller, runId)
  const children = await childrenOf(ctx.db, viewer, runId)
  const [messages, steps] = await Promise.all([
    loadTranscriptWithOpenCalls(ctx.db, runId),
    readWindowSteps(ctx.db, runId),
  ])
  const isOpen = messages.some(({ calls }) => calls.some(({ result }) => result === null))
  const live = isOpen ? await liveCallsOf(ctx.db, runId) : []
  const hasCalls = messages.some(({ calls }) => calls.length > 0)
  const facts = hasCalls ? await readCallFacts(ctx.db, runId) : new Map<string, never>()
  const next = Math.max(0, ...messages.map((message) => message.turn ?? 0)) + 1
  const items = messages.map((message) => ({
    ...message,
    turn: message.turn ?? next,
    covers: null,
    picturesElidedAt: picturesElidedAt(steps, message),
    calls: message.calls.map((call, index) => ({
      ...call,
      elidedAt: elidedAtOf(steps, message, call, index),
      childRunId: children.findLast((child) => child.callId === call.callId)?.runId ?? null,
      live: live.find((one) => one.callId === call.callId) ?? null,
      approval: facts.get(call.callId)?.approval ?? null,
      denial: facts.get(call.callId)?.denial ?? null,
      times: facts.get(call.callId)?.times ?? null,
      outcomeCheck: facts.get(call.callId)?.outcomeCheck ?? null,
    })),
  }))
  return withSummaries(items, steps)
}

/** Each summary before the messages that the first turn with it read. */
function withSummaries(
  items: readonly TranscriptItem[],
  steps: readonly WindowStep[],
): readonly TranscriptItem[] {
  const sorted = [...items]
  for (const { kind, atTurn, fromTurn, throughTurn, text, at } of steps) {
    if (kind !== 'compaction') continue
    const place = sorted.findIndex(({ turn }) => turn >= atTurn)
    sorted.splice(place === -1 ? sorted.length : place, 0, {
      role: 'compaction',
      turn: atTurn,
      covers: [fromTurn, throughTurn],
      picturesElidedAt: null,
      text: text ?? '',
      at,
      from: null,
      author: null,
      sequence: 0,
      calls: [],
    })
  }
  return sorted
}

function elidedAtOf(
  steps: readonly WindowStep[],
  { role, turn }: TranscriptMessage,
  { result }: TranscriptCall,
  index: number,
): number | null {
  if (role !== 'assistant' || turn === null || result === null || steps.length === 0) return null
  const resultBytes = resultSize(result)
  return elidedAt(steps, { turn, position: index + 1, resultBytes })
}
