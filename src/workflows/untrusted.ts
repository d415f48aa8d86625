import type {
  CallOutcome,
  CallPlan,
  CloseOutcome,
  NextTurn,
  Rest,
  RunBeginning,
  SettleOutcome,
  TurnOutcome,
} from '#domain/runs/workflow-outcomes.ts'
import type { RunPosition } from './messages.ts'

/**
 * Reads values from outside without trust: a program that reaches Temporal can start a workflow,
 * signal it and complete its activities with anything. An unreadable value is `null`, and nothing
 * here throws (security.md 31).
 */

const maxIdCharacters = 200
const maxQueueCharacters = 900
const maxIds = 1000
/** More queues than a run waits in at a time. */
const maxQueues = 20
/** A hundred years: more than any deadline, and a valid timer. */
const maxDeadlineMs = 100 * 365 * 86_400_000
/** After an answer without a deadline, the store is read again in this time. */
const lookAgainMs = 60_000
/** An answer that makes no sense was forged. The activity is scheduled again after this time. */
export const misunderstoodMs = 5000
/** Longer than the pauses that model providers request before the next attempt at a turn. */
const maxTurnDelayMs = 3_600_000

type UnknownRecord = Readonly<Record<string, unknown>>

function recordOf(value: unknown): UnknownRecord {
  return typeof value === 'object' && value !== null ? (value as UnknownRecord) : {}
}

/** An id; `null` for any other value. */
export function idOf(value: unknown): string | null {
  return typeof value === 'string' && value.length > 0 && value.length <= maxIdCharacters
    ? value
    : null
}

/** The ids of a signal or an answer, and whether there are too many to look at one by one. */
export function idsOf(value: unknown): { readonly ids: readonly string[]; readonly more: boolean } {
  if (!Array.isArray(value)) return { ids: [], more: false }
  const ids = value.slice(0, maxIds).filter((id) => idOf(id) !== null) as readonly string[]
  return { ids, more: value.length > maxIds }
}

/** The name of a task queue that the server accepts. */
export function queueOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || value.length > maxQueueCharacters) return null
  return value.startsWith('/_sys/') ? null : value
}

function turnOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
}

/** A count; 0 for any other value. */
export function countOf(value: unknown): number {
  return turnOf(value) ?? 0
}

/** The place where a run begins; a position that is only partly readable is read from the store. */
export function positionOf(value: unknown): RunPosition | null {
  const { runId, turn, taskQueue, manualCalls, listed: isListed, short: isShort } = recordOf(value)
  const id = idOf(runId)
  if (id === null) return null
  const [at, queue] = [turnOf(turn), queueOf(taskQueue)]
  const { ids } = idsOf(manualCalls)
  return {
    runId: id,
    ...(at === null || queue === null ? {} : { turn: at, taskQueue: queue }),
    ...(ids.length === 0 ? {} : { manualCalls: ids }),
    ...(isListed === true ? { listed: isListed } : {}),
    ...(isShort === true ? { short: isShort } : {}),
  }
}

/** The state of a run, as the store returned it. */
export function runBeginningOf(value: unknown): RunBeginning | null {
  const { ended: hasEnded, turn, taskQueue, manualCalls } = recordOf(value)
  const [at, queue] = [turnOf(turn), queueOf(taskQueue)]
  if (typeof hasEnded !== 'boolean' || at === null || (queue === null && !hasEnded)) return null
  const calls = manualCalls === undefined ? {} : { manualCalls: idsOf(manualCalls).ids }
  return { ended: hasEnded, turn: at, taskQueue: queue ?? '', ...calls }
}

/** Milliseconds until a deadline; `null` without one. */
function deadlineOf(value: unknown): number | null {
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isFinite(value)) return lookAgainMs
  return Math.min(Math.max(0, value), maxDeadlineMs)
}

/** The deadline of an answer that has no other field. */
export function nextDeadlineOf(value: unknown): number | null {
  return deadlineOf(recordOf(value)['nextDeadlineMs'])
}

export function turnOutcomeOf(value: unknown): TurnOutcome | null {
  const { kind, calls, nextDeadlineMs, manualCalls } = recordOf(value)
  switch (kind) {
    case 'ended':
    case 'finished':
      return { kind }
    case 'waiting_for_input': {
      const rest = restOf(value)
      const calls = manualCalls === undefined ? {} : { manualCalls: idsOf(manualCalls).ids }
      return { kind, ...rest, ...calls, ...queuesOf(value) }
    }
    case 'calls': {
      if (!Array.isArray(calls) || calls.length > maxIds) return null
      const plans = calls.map(planOf)
      if (plans.includes(null)) return null
      return { kind, calls: plans as CallPlan[], nextDeadlineMs: deadlineOf(nextDeadlineMs) }
    }
    default:
      return null
  }
}

/** How long a conversation rests; `null` without a readable answer. */
function restOf(value: unknown): Rest | null {
  const { turn, restsForMs } = recordOf(value)
  const at = turnOf(turn)
  if (at === null || typeof restsForMs !== 'number') return null
  return { turn: at, restsForMs: deadlineOf(restsForMs) ?? lookAgainMs }
}

/** The outcome of closing a run. */
export function closeOutcomeOf(value: unknown): CloseOutcome | null {
  const { kind } = recordOf(value)
  if (kind === 'closed' || kind === 'continue') return { kind }
  const rest = kind === 'rests' ? restOf(value) : null
  return rest === null ? null : { kind: 'rests', ...rest }
}

function planOf(value: unknown): CallPlan | null {
  const { callId, step, requestId, readOnly, queue, tool } = recordOf(value)
  const id = idOf(callId)
  if (id === null || (step !== 'execute' && step !== 'wait' && step !== 'done')) return null
  const [inQueue, ofTool] = [idOf(queue), idOf(tool)]
  return {
    callId: id,
    step,
    requestId: idOf(requestId),
    readOnly: readOnly === true,
    ...(inQueue === null ? {} : { queue: inQueue }),
    ...(ofTool === null ? {} : { tool: ofTool }),
  }
}

export function callOutcomeOf(value: unknown): CallOutcome | null {
  const { kind, requestIds, nextDeadlineMs, nextTurn } = recordOf(value)
  if (kind === 'ended') return { kind }
  if (kind === 'done') {
    const next = nextTurnOf(nextTurn)
    return next === null ? { kind } : { kind, nextTurn: next }
  }
  if (kind !== 'wait') return null
  const ids = idsOf(requestIds).ids
  return { kind, requestIds: ids, nextDeadlineMs: deadlineOf(nextDeadlineMs), ...queuesOf(value) }
}

/** What an activity did about a turn; `null` for an unreadable answer. */
export function nextTurnOf(value: unknown): NextTurn | null {
  const { kind, afterMs } = recordOf(value)
  if (kind !== 'later') return turnOutcomeOf(value)
  const ms = typeof afterMs === 'number' && afterMs > 0 ? afterMs : 0
  return { kind, afterMs: Math.min(ms, maxTurnDelayMs) }
}

/** Names of queues, with the limits of ids; absent without any in the answer. */
function queuesOf(value: unknown): { readonly queues?: readonly string[] } {
  const { queues } = recordOf(value)
  return Array.isArray(queues) ? { queues: idsOf(queues).ids.slice(0, maxQueues) } : {}
}

/** What the store says about an attempt whose activity failed. */
export function settleOutcomeOf(value: unknown): SettleOutcome | null {
  return recordOf(value)['kind'] === 'again' ? { kind: 'again' } : callOutcomeOf(value)
}
