import type { Selectable } from 'kysely'
import type { RequestTable } from '#store/tables/requests.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/**
 * Has the workflow look that waits for a request: its run's, or that of a program's request, which
 * is of no run. The caller has changed the row; the signal only says which requests to look at.
 */
export async function wakeWaiting(
  unit: UnitOfWork,
  request: Pick<Selectable<RequestTable>, 'id' | 'run_id'>,
  requestIds: readonly string[],
): Promise<void> {
  const address = request.run_id ?? request.id
  const payload = { requestIds: [...requestIds] }
  await unit.enqueue({ kind: 'signal_decided', runId: address, payload })
}
