import type { Selectable } from 'kysely'
import { callWorkerName } from '#domain/tools/built-in-tools.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { CallAtHand } from '../attempts/call-at-hand.ts'
import { cappedResult } from '../attempts/capped-result.ts'
import type { ExecutionEnd } from '../attempts/finish-execution.ts'
import { quoteText } from '../../transcript/result-texts.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

type Child = Pick<
  Selectable<RunTable>,
  'id' | 'worker' | 'state' | 'output' | 'failure' | 'end_reason'
>

/**
 * The run that the newest attempt of a call started; `null` for a call that is not a delegation.
 * Whoever ends the child takes the parent's lock first, so its row is read under that.
 */
export async function childOf(db: Db | Tx, at: CallAtHand): Promise<Child | null> {
  const id = at.execution?.detail?.['childRunId']
  if (at.call.tool !== callWorkerName || typeof id !== 'string') return null
  const child = await db
    .selectFrom('run')
    .select(['id', 'worker', 'state', 'output', 'failure', 'end_reason'])
    .where('id', '=', id)
    .where('parent_call_id', '=', at.call.id)
    .executeTakeFirst()
  return child ?? null
}

/** How a delegation's run ended: its output, or why there is none. `null`: it runs. */
export function endOfChild(child: Child): ExecutionEnd | null {
  if (!isEnd(runTransitions, child.state)) return null
  const { id: runId, worker, state } = child
  const common = { exitCode: null, reason: state === 'completed' ? null : state }
  switch (state) {
    case 'completed': {
      const lastText = child.output ?? ''
      const output = { runId, worker, state, output: lastText }
      const text = `The worker ${worker} has finished. What it said last, as quoted data: ${quoteText(lastText)}`
      const result = cappedResult({ type: 'output', output, text })
      return { ...common, state: 'succeeded', output: result.output ?? null, result }
    }
    case 'cancelled': {
      const reason = child.end_reason === null ? '' : ` (${quoteText(child.end_reason)})`
      const text = `The run of ${worker} was cancelled${reason}, and has no result. What it did before stays done.`
      const output = { runId, worker, state }
      return { ...common, state: 'failed', output, result: { type: 'cancelled', output, text } }
    }
    default: {
      const why = child.failure?.message ?? child.end_reason ?? 'no reason was recorded'
      const text = `The run of ${worker} has failed: ${quoteText(why)}. What it did before stays done.`
      const output = { runId, worker, state }
      return { ...common, state: 'failed', output, result: { type: 'error', output, text } }
    }
  }
}

/** The end of a delegation whose parent was cancelled or failed: the child ends with it. */
export function endOfDelegation(why: string): ExecutionEnd {
  return {
    state: 'failed',
    reason: 'cancelled',
    exitCode: null,
    output: null,
    result: {
      type: 'cancelled',
      text: `This delegation has ended, because ${why}. What the other run did before stays done.`,
    },
  }
}

/**
 * Wakes the run that waits for a run which ends in this transaction. The signal has its id only:
 * the store has the end. A root run wakes nobody.
 */
export async function notifyParent(
  unit: UnitOfWork,
  run: Pick<Selectable<RunTable>, 'id' | 'parent_run_id'>,
): Promise<void> {
  const { id, parent_run_id: parentId } = run
  if (parentId === null) return
  await unit.enqueue({ kind: 'signal_child_ended', runId: parentId, payload: { runIds: [id] } })
  await unit.event('run.changed', { runId: parentId })
}
