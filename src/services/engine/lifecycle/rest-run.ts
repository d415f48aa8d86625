import type { Selectable } from 'kysely'
import type { RestReason } from '#domain/requests/request.ts'
import { runTransitions, transition } from '#domain/requests/transitions.ts'
import type { Rest } from '#domain/runs/workflow-outcomes.ts'
import { toJsonb } from '#store/database.ts'
import type { RunFailure, RunTable } from '#store/tables/runs.ts'
import { restOf, restsUntil } from '../../core/runs/rest.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/**
 * Lets a run wait for a message: after a denial that stops it, a limit or a failure of the model
 * (`failure` says which). A conversation rests no longer than its worker permits. A run that
 * already waits keeps its state. Returns the answer for its workflow. The caller holds the run's
 * lock.
 */
export async function restRun(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  rest: Exclude<RestReason, 'answered'>,
  failure: RunFailure | null,
): Promise<Partial<Rest>> {
  const state = transition(runTransitions, run.state, 'rest')
  if (state === null) return {}
  await unit.tx
    .updateTable('run')
    .set({
      state,
      rest,
      rests_until: restsUntil(run),
      failure: failure === null ? null : toJsonb(failure),
    })
    .where('id', '=', run.id)
    .execute()
  await unit.event('run.changed', { runId: run.id })
  const seconds = run.rest_for_seconds
  return restOf(run, seconds === null ? null : seconds * 1000)
}
