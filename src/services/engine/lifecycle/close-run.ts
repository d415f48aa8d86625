import type { Selectable } from 'kysely'
import { isEnd, runTransitions, transition } from '#domain/requests/transitions.ts'
import type { CloseOutcome } from '#domain/runs/workflow-outcomes.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { lockRun } from '../../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, timer, workflow } from '../../core/authority.ts'
import { completeRun } from './complete-run.ts'
import { restsUntil } from '../../core/runs/rest.ts'
import { isOpen, lastTextOf, readOpenWork, type OpenWork } from './open-work.ts'

/**
 * Completes a run whose model is finished, with its last text as the output; a root run's grants
 * end. A conversation rests instead (`rests`), and is completed once its rest is over by the
 * database's clock. An unread message makes the run continue (`continue`): posting takes the same
 * lock, so none is lost.
 */
export async function closeRun(
  ctx: SystemContext,
  input: { readonly runId: string },
): Promise<CloseOutcome> {
  return inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) =>
    closeLocked(unit, await lockRun(unit.tx, input.runId), null),
  )
}

/** Completes a conversation whose rest is over, and wakes its workflow. */
export async function endRest(
  ctx: SystemContext,
  input: { readonly runId: string },
): Promise<CloseOutcome> {
  return inUnitOfWork(ctx, bySystem(ctx, timer), async (unit) => {
    const closed = await closeLocked(unit, await lockRun(unit.tx, input.runId), null)
    const { runId } = input
    if (closed.kind === 'closed')
      await unit.enqueue({ kind: 'signal_messaged', runId, payload: {} })
    return closed
  })
}

/**
 * As `closeRun`, in the caller's transaction, which holds the run's lock. `lastText`: `null`: this
 * reads it.
 */
export async function closeLocked(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  lastText: string | null,
): Promise<CloseOutcome> {
  if (isEnd(runTransitions, run.state)) return { kind: 'closed' }
  const openWork = await readOpenWork(unit.tx, run)
  if (run.state === 'waiting_for_input') return closeResting(unit, run, openWork)
  const finished = run.turn > 0 && !openWork.hasOpenCalls && !openWork.lastHadCalls
  // A request that somebody ended by SQL was not subtracted from the run's count: the run waits for
  // nobody.
  const waitsForNobody = run.state === 'waiting_for_approval' && !openWork.hasPending
  const from = waitsForNobody ? 'running' : run.state
  // Only a workflow that was started by hand asks to close a run with open work.
  if (openWork.hasUnread || !finished) return { kind: 'continue' }
  if (run.rest_for_seconds !== null) {
    const state = transition(runTransitions, from, 'rest')
    if (state === null) return { kind: 'continue' }
    return restAnswered(unit, run, openWork, lastText)
  }
  if (transition(runTransitions, from, 'complete') === null) return { kind: 'continue' }
  await completeRun(unit, run, { openWork, lastText, caller: workflow, detail: {} })
  return { kind: 'closed' }
}

/** A conversation waits for the next message, with the model's last text as its output. */
async function restAnswered(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  openWork: OpenWork,
  lastText: string | null,
): Promise<CloseOutcome> {
  await unit.tx
    .updateTable('run')
    .set({
      state: 'waiting_for_input',
      rest: 'answered',
      rests_until: restsUntil(run),
      output: storable(lastText ?? (await lastTextOf(unit.tx, openWork))),
      failure: null,
    })
    .where('id', '=', run.id)
    .execute()
  await unit.event('run.changed', { runId: run.id })
  return { kind: 'rests', turn: run.turn + 1, restsForMs: (run.rest_for_seconds ?? 0) * 1000 }
}

/** Milliseconds to the next look at a finished rest, while a person's call is open. */
const lookAgainMs = 60_000

async function closeResting(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  openWork: OpenWork,
): Promise<CloseOutcome> {
  const { restMs } = openWork
  // Without a limit it waits for a message.
  if (restMs === null) return { kind: 'continue' }
  if (restMs > 0 || isOpen(openWork)) {
    const restsForMs = restMs > 0 ? Math.ceil(restMs) : lookAgainMs
    return { kind: 'rests', turn: run.turn + 1, restsForMs }
  }
  await completeRun(unit, run, {
    openWork,
    lastText: null,
    caller: timer,
    detail: { by: 'rest_over', rest: run.rest },
  })
  return { kind: 'closed' }
}
