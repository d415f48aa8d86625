import { sql, type Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { notifyParent } from '../delegation/child-run.ts'
import type { Caller } from '../../core/context.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import { endGrants } from '../../grants/end-grants.ts'
import { restEnded } from '../../core/runs/rest.ts'
import { lastTextOf, type OpenWork } from './open-work.ts'

/** How a run is completed. `lastText`: `null`: this reads it. */
export interface RunCompletion {
  readonly openWork: OpenWork
  readonly lastText: string | null
  /** who completes it, for its grants' events */
  readonly caller: Caller
  /** more facts for its event */
  readonly detail: JsonObject
}

/**
 * Completes a run with the model's last text as its output; a root run's grants end. The caller
 * holds the run's lock and has judged that it has no open work.
 */
export async function completeRun(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  { openWork, lastText, caller, detail }: RunCompletion,
): Promise<void> {
  await unit.tx
    .updateTable('run')
    .set({
      state: 'completed',
      ended_at: sql<Date>`clock_timestamp()`,
      output: storable(lastText ?? (await lastTextOf(unit.tx, openWork))),
      // What made it wait is over.
      failure: null,
      ...restEnded,
    })
    .where('id', '=', run.id)
    .execute()
  unit.setReadAt(openWork.now)
  if (openWork.hasGrants) await endGrants(unit, { rootRunId: run.id }, caller)
  await unit.audit({
    type: 'run.ended',
    runId: run.id,
    detail: { state: 'completed', turns: run.turn, ...detail },
  })
  await unit.event('run.changed', { runId: run.id })
  await notifyParent(unit, run)
}
