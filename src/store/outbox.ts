import { sql } from 'kysely'
import type { JsonObject } from '../domain/json.ts'
import { toJsonb, type Tx } from './database.ts'

/** What the relay can deliver. Every row travels at least once; the receiver's store makes repeats harmless. */
export type OutboxKind = 'start_run' | 'signal_decided' | 'signal_messaged' | 'signal_cancelled'

export interface OutboxRow {
  readonly kind: OutboxKind
  readonly runId: string
  readonly payload: JsonObject
}

/** How long a committing process keeps its rows to itself before the relay may take them. */
export const ownLeaseMs = 2000

/**
 * Writes a row in the caller's transaction and returns its id. `owner` is the committing process when it has
 * a relay: the row is leased to it and nobody else is woken. `null`: any relay is woken on commit.
 */
export async function enqueue(tx: Tx, row: OutboxRow, owner: string | null): Promise<string> {
  const inserted = await tx
    .insertInto('outbox')
    .values({
      run_id: row.runId,
      kind: row.kind,
      payload: toJsonb(row.payload),
      lease_owner: owner,
      leased_until:
        owner === null
          ? null
          : sql<Date>`clock_timestamp() + ${ownLeaseMs} * interval '1 millisecond'`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (owner === null) await sql`select pg_notify('countersign_outbox', '')`.execute(tx)
  return inserted.id
}
