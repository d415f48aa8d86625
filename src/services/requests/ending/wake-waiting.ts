import type { Selectable } from 'kysely'
import type { RequestTable } from '#store/tables/requests.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/**
 * Wakes the workflow that waits for a request: its run's, or that of a program's request. The
 * caller has changed the row; the signal only says which requests to read.
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
