import { sql } from 'kysely'
import type { StartFailure } from '#domain/runs/start-of-run.ts'
import { toJsonb } from '#store/database.ts'
import { restEnded } from '../../core/runs/rest.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { timer } from '../../core/authority.ts'

/**
 * Ends a run whose start was denied or has expired, in the same transaction: its model was never
 * called, so there is nothing else to end. The caller holds the run's lock.
 */
export async function endUnstarted(
  unit: UnitOfWork,
  { id: runId }: { readonly id: string },
  failure: { readonly code: StartFailure; readonly message: string },
): Promise<void> {
  const { numUpdatedRows } = await unit.tx
    .updateTable('run')
    .set({
      state: 'cancelled',
      ended_at: sql<Date>`clock_timestamp()`,
      failure: toJsonb(failure),
      ...restEnded,
    })
    .where('id', '=', runId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  await unit.audit({
    type: 'run.cancelled',
    ...(failure.code === 'start_expired' ? timer : {}),
    runId,
    detail: { state: 'cancelled', failure: failure.code, with: null },
  })
  await unit.event('run.changed', { runId })
  await unit.enqueue({ kind: 'signal_cancelled', runId, payload: {} })
}
