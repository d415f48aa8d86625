import type { Selectable } from 'kysely'
import type { RunTable } from '../../store/tables/runs.ts'
import type { UnitOfWork } from '../unit-of-work.ts'

/**
 * Wakes the run that waits for one that ends in this transaction. The signal carries its id only: how it ended is read
 * from the store. A root has nobody to tell.
 */
export async function tellParent(
  unit: UnitOfWork,
  run: Pick<Selectable<RunTable>, 'id' | 'parent_run_id'>,
): Promise<void> {
  const { id, parent_run_id: parentId } = run
  if (parentId === null) return
  await unit.enqueue({ kind: 'signal_child_ended', runId: parentId, payload: { runIds: [id] } })
  await unit.event('run.changed', { runId: parentId })
}
