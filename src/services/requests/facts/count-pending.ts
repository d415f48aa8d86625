import { sql, type RawBuilder } from 'kysely'
import type { RunState } from '#domain/requests/request.ts'
import type { Tx } from '#store/database.ts'

/** A run after its count changed. `changed`: its state too, so that the caller publishes it. */
export interface PendingCount {
  readonly pending: number
  readonly state: RunState
  readonly changed: boolean
}

/** What the statement of {@link pendingToAdd} returns. */
interface CountedRun {
  readonly pending: number
  readonly state: RunState
  readonly before: RunState
}

/**
 * Adds `delta` to a run's number of pending requests and updates its state: `running` becomes
 * `waiting_for_approval` with the first, and `running` again with the last. A run that waits for
 * input or has ended keeps its state. The caller holds the run's lock. `change` runs in the same
 * statement, and returns a row if it was done. Throws when the count would become negative.
 */
export async function addPending(
  tx: Tx,
  runId: string,
  delta: number,
  change: RawBuilder<unknown>,
): Promise<PendingCount> {
  const { rows } = await sql<CountedRun>`
    with change as (${change})
    ${pendingToAdd(runId, delta, sql`exists (select from change)`)}
  `.execute(tx)
  return pendingCount(runId, rows[0])
}

/** The statement of {@link addPending}, for {@link pendingCount}. */
export function pendingToAdd(
  runId: string,
  delta: number,
  condition: RawBuilder<boolean>,
): RawBuilder<CountedRun> {
  return sql<CountedRun>`
    update run set
      pending_requests = run.pending_requests + ${delta},
      state = case
        when run.state = 'running' and run.pending_requests + ${delta} > 0 then 'waiting_for_approval'
        when run.state = 'waiting_for_approval' and run.pending_requests + ${delta} <= 0 then 'running'
        else run.state end
    from run as old
    where run.id = ${runId} and old.id = run.id and ${condition}
    returning run.pending_requests as pending, run.state, old.state as before
  `
}

/** Judges what that statement returned. */
function pendingCount(runId: string, row: CountedRun | undefined): PendingCount {
  if (row === undefined) throw new Error(`Run ${runId} has no request to count`)
  if (row.pending < 0) throw new Error(`Run ${runId} would have ${row.pending} pending requests`)
  return { pending: row.pending, state: row.state, changed: row.state !== row.before }
}
