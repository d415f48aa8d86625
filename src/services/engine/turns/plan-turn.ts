import type { TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import type { Db, Tx } from '#store/database.ts'
import { remainingMs } from '../../requests/facts/deadline-of-request.ts'

/** Reads the calls of a judged turn, for {@link planOf}. */
export function callsToPlan(db: Db | Tx, runId: string, turn: number) {
  return db
    .selectFrom('tool_call')
    .leftJoin('request', 'request.id', 'tool_call.request_id')
    .leftJoin('run', 'run.id', 'tool_call.run_id')
    .select([
      'tool_call.id',
      'tool_call.tool',
      'tool_call.verdict',
      'tool_call.read_only',
      'tool_call.result_type',
      'tool_call.request_id',
      'request.state',
      'request.queue',
      'run.ended_at',
    ])
    .select(remainingMs.as('remaining_ms'))
    .where('tool_call.run_id', '=', runId)
    .where('tool_call.turn', '=', turn)
    .orderBy('tool_call.position')
}

type CallToPlan = Awaited<ReturnType<ReturnType<typeof callsToPlan>['execute']>>[number]

/** The remaining steps of a judged turn, for the workflow; `finished`: it has no calls. */
export function planOf(calls: readonly CallToPlan[]): TurnOutcome {
  if (calls.some((call) => call.ended_at !== null)) return { kind: 'ended' }
  if (calls.length === 0) return { kind: 'finished' }
  const deadlines = calls.flatMap((call) => (call.remaining_ms === null ? [] : [call.remaining_ms]))
  return {
    kind: 'calls',
    calls: calls.map((call) => ({
      callId: call.id,
      step: call.result_type !== null ? 'done' : call.state === 'pending' ? 'wait' : 'execute',
      requestId: call.request_id,
      // A call that asks keeps its position even when it only reads: people decide in that order.
      readOnly: call.read_only && call.verdict === 'preApproved',
      ...(call.state === 'pending' && call.queue !== null ? { queue: call.queue } : {}),
      ...(call.result_type === null ? { tool: call.tool } : {}),
    })),
    nextDeadlineMs: deadlines.length === 0 ? null : Math.min(...deadlines),
  }
}
