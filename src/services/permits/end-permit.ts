import { sql } from 'kysely'
import { permitTransitions, transition, type PermitEvent } from '#domain/requests/transitions.ts'
import type { Tx } from '#store/database.ts'

/** Ends a live permit. False: it was not live, and is unchanged. */
export async function endPermit(tx: Tx, permitId: string, event: PermitEvent): Promise<boolean> {
  const state = transition(permitTransitions, 'live', event)
  if (state === null) return false
  const { numUpdatedRows } = await tx
    .updateTable('permit')
    .set({ state, ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', permitId)
    .where('state', '=', 'live')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
