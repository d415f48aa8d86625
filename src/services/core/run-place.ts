import type { Selectable } from 'kysely'
import type { RunTable } from '#store/tables/runs.ts'

/** Where a run works. */
export interface RunPlace {
  /** the Temporal task queue of the host */
  readonly taskQueue: string
  /** name of the workspace there */
  readonly workspace: string
}

/** Where a run works, as its row says. */
export function placeOfRun(run: Pick<Selectable<RunTable>, 'task_queue' | 'workspace'>): RunPlace {
  return { taskQueue: run.task_queue, workspace: run.workspace }
}
