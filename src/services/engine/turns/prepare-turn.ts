import { sql, type RawBuilder, type Selectable } from 'kysely'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { withBudget } from '#domain/runs/run-budget.ts'
import type { Rest } from '#domain/runs/workflow-outcomes.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { together } from '#store/connection/side-by-side.ts'
import { lockRunFirst } from '../../core/locks.ts'
import { within } from '../../core/context.ts'
import { pinnedWorkerOf, type PinnedWorker } from '../../core/runs/pinned-worker.ts'
import { unmarkUnusable } from '../attempts/unusable-workspace.ts'
import { withManualCalls } from '../manual-calls/open-manual-calls.ts'
import { inUnitOfWork, type SentLast } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { restMs, restOf } from '../../core/runs/rest.ts'
import { admitTurn } from '../lifecycle/admit-start.ts'
import { restRun } from '../lifecycle/rest-run.ts'
import { amountsToRead, reachedLimit, type UsedAmounts } from './run-limits.ts'
import { windowColumns, windowOf, type RunWindow, type WindowRow } from './run-window.ts'
import { bySystem, workflow } from '../../core/authority.ts'

/** A turn's first step. `stored`: its message exists. `unfinished`: earlier calls are open. */
export type PreparedTurn =
  | { readonly kind: 'ended' | 'finished' }
  | ({ readonly kind: 'waiting_for_input' } & Partial<Rest>)
  | { readonly kind: 'stored' | 'unfinished'; readonly turn: number }
  | {
      readonly kind: 'model'
      readonly turn: number
      /** the number of the attempt, once the unit has ended */
      readonly newAttempt: SentLast<{ readonly attempt: number }>
      readonly run: Selectable<RunTable>
      readonly pinned: PinnedWorker
      readonly window: RunWindow
    }

/**
 * Decides under the run's lock whether a turn may ask the model. The attempt is recorded before the
 * model is asked, so that it counts against the limits also if the process dies.
 */
export async function prepareTurn(
  ctx: WorkerContext,
  input: { readonly runId: string; readonly turn: number },
): Promise<PreparedTurn> {
  return inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) => {
    const { tx } = unit
    const [run, previous] = await together([
      lockRunFirst(tx, input.runId),
      readPrevious(tx, input.runId),
    ])
    if (run === undefined || previous === undefined) return { kind: 'ended' }
    if (isEnd(runTransitions, run.state)) return { kind: 'ended' }
    if (input.turn <= run.turn) return { kind: 'stored', turn: input.turn }
    const { kind: start, ...rest } = await admitTurn(unit, run)
    if (start === 'ended') return { kind: start }
    if (start === 'waits') return { kind: 'waiting_for_input', ...rest }
    const pinned = await pinnedWorkerOf(within(ctx, tx), run)
    // After a restore a workflow may be ahead of the store, which says which turn is next.
    const turn = run.turn + 1
    const limit = reachedLimit(previous, withBudget(pinned.worker.limits, run.budget))
    if (previous.hasOpenCalls) return { kind: 'unfinished', turn: run.turn }
    await unmarkUnusable(unit, run)
    if (!previous.hasUnread && run.state === 'waiting_for_input') {
      return { kind: 'waiting_for_input', ...restOf(run, previous.rest_ms) }
    }
    if (!previous.hasUnread && previous.isFinished) {
      // The result of a person's call is a message to the run: the turn waits for it.
      const { manualCalls } = await withManualCalls(unit.tx, run.id)
      return manualCalls === undefined ? { kind: 'finished' } : { kind: 'waiting_for_input' }
    }
    if (previous.isStopped) {
      return { kind: 'waiting_for_input', ...(await restRun(unit, run, 'stopped', null)) }
    }
    if (limit?.code === 'budget_exhausted') {
      return { kind: 'waiting_for_input', ...(await restRun(unit, run, 'budget', limit)) }
    }
    const newAttempt = unit.sendLast(attemptToBegin(run.id, turn, limit === null ? null : 'limit'))
    if (limit === null) {
      return { kind: 'model', turn, newAttempt, run, pinned, window: windowOf(previous) }
    }
    return { kind: 'waiting_for_input', ...(await restRun(unit, run, 'limit', limit)) }
  })
}

interface PreviousTurn extends UsedAmounts, WindowRow {
  /** a call of the previous turn has no result */
  readonly hasOpenCalls: boolean
  /** the previous turn had no calls: the model is finished */
  readonly isFinished: boolean
  /** a message that no turn has read */
  readonly hasUnread: boolean
  /** a call was denied with `stop`: no turn begins before a message (product.md 8) */
  readonly isStopped: boolean
  /** milliseconds until the rest of a conversation is over */
  readonly rest_ms: number | null
}

/**
 * The facts about earlier turns, in one query; `undefined`: there is no such run. A person's call
 * does not resume the run. Rows are found by the parameter, not by `run.id`: for that, Postgres can
 * plan to read all calls without a result.
 */
async function readPrevious(tx: Tx, runId: string): Promise<PreviousTurn | undefined> {
  const { rows } = await sql<PreviousTurn>`
    select
      exists (select from tool_call as call
        where call.run_id = ${runId} and call.turn = run.turn and result_type is null) as "hasOpenCalls",
      run.turn > 0 and not exists (select from tool_call as call
        where call.run_id = ${runId} and call.turn = run.turn) as "isFinished",
      exists (select from message where run_id = ${runId} and role = 'user' and turn is null) as "hasUnread",
      exists (
        select from request as denied where denied.run_id = ${runId} and denied.denied_then = 'stop'
          and (denied.turn = run.turn or denied.turn < 0)
          and not exists (
            select from message where message.run_id = ${runId} and message.role = 'user'
              and message.created_at > denied.decided_at
              and not exists (select from manual_call where manual_call.message_id = message.id)
          )
      ) as "isStopped",
      ${restMs} as rest_ms, used.*, ${windowColumns}
    from run cross join (${amountsToRead(runId)}) as used where run.id = ${runId}
  `.execute(tx)
  return rows[0]
}

/**
 * The statement that records and numbers the next attempt at a turn, and deletes live text of
 * earlier ones.
 */
function attemptToBegin(
  runId: string,
  turn: number,
  outcome: 'limit' | null,
): RawBuilder<{ readonly attempt: number }> {
  return sql`
    with unfinished as (delete from live_text where run_id = ${runId}::uuid)
    insert into turn_attempt (run_id, turn, attempt, outcome)
    select ${runId}::uuid, ${turn}::integer, coalesce(max(attempt), 0) + 1, ${outcome}
    from turn_attempt where run_id = ${runId} and turn = ${turn}
    returning attempt
  `
}
