import type { Selectable } from 'kysely'
import { isEnd, runTransitions, transition } from '#domain/requests/transitions.ts'
import type { CloseOutcome } from '#domain/runs/workflow-outcomes.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { lockRun } from '../../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { storable } from '../../transcript/storable-text.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, timer, workflow } from '../../core/authority.ts'
import { completeRun } from './complete-run.ts'
import { restsUntil } from '../../core/rest.ts'
import { isOpen, lastTextOf, readOpenWork, type OpenWork } from './open-work.ts'

/**
 * Completes a run whose model is finished, with its last text as the output and, for a root, its
 * grants ended; a conversation rests instead (`rests`), and is completed once its rest is over by
 * the database's clock. A message that no turn has read makes the run go on instead (`continue`):
 * posting takes the same lock, so none is lost.
 */
export async function closeRun(
  ctx: SystemContext,
  input: { readonly runId: string },
): Promise<CloseOutcome> {
  return inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) =>
    closeLocked(unit, await lockRun(unit.tx, input.runId), null),
  )
}

/** Completes a conversation whose rest is over, whatever its workflow does, and wakes that. */
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
 * As `closeRun`, in the caller's transaction, which holds the run's lock. `lastText`: `null` when
 * it is to be read.
 */
export async function closeLocked(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  lastText: string | null,
): Promise<CloseOutcome> {
  if (isEnd(runTransitions, run.state)) return { kind: 'closed' }
  const openWork = await readOpenWork(unit.tx, run)
  if (run.state === 'waiting_for_input') return closeResting(unit, run, openWork)
  const finished = run.turn > 0 && !openWork.unfinished && !openWork.lastHadCalls
  // Somebody ended a request by SQL, and nobody counted it: there is nothing left to wait for.
  const waitsForNobody = run.state === 'waiting_for_approval' && !openWork.pending
  const from = waitsForNobody ? 'running' : run.state
  // Only a workflow that nobody recorded can ask to close something unfinished.
  if (openWork.unread || !finished) return { kind: 'continue' }
  if (run.rest_for_seconds !== null) {
    const state = transition(runTransitions, from, 'rest')
    if (state === null) return { kind: 'continue' }
    return restAnswered(unit, run, openWork, lastText)
  }
  if (transition(runTransitions, from, 'complete') === null) return { kind: 'continue' }
  await completeRun(unit, run, { openWork, lastText, caller: workflow, detail: {} })
  return { kind: 'closed' }
}

/** A conversation waits for the next message, with what the model said last as its output. */
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

/** When to look again at a rest that is over and cannot end yet: a call of a person waits. */
const lookAgainMs = 60_000

async function closeResting(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  openWork: OpenWork,
): Promise<CloseOutcome> {
  const { restMs } = openWork
  // Without an end it waits for a message, as long as that takes.
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
