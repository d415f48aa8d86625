import { runTransitions, transition } from '#domain/transitions.ts'
import type { Selectable } from 'kysely'
import { toJsonb } from '#store/database.ts'
import type { RunFailure, RunTable } from '#store/tables/runs.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/**
 * Lets a run wait for a message: after a denial that stops it (`failure` null), a limit or a
 * failure of the model. A run that waits already keeps what it waits for. The caller holds the
 * run's lock.
 */
export async function restRun(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  failure: RunFailure | null,
): Promise<void> {
  const state = transition(runTransitions, run.state, 'rest')
  if (state === null) return
  await unit.tx
    .updateTable('run')
    .set({ state, failure: failure === null ? null : toJsonb(failure) })
    .where('id', '=', run.id)
    .execute()
  await unit.event('run.changed', { runId: run.id })
}
