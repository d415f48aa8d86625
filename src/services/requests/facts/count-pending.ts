import { sql, type RawBuilder } from 'kysely'
import type { RunState } from '#domain/requests/request.ts'
import type { Tx } from '#store/database.ts'

/** What the statement of {@link pendingToAdd} returns. */
interface CountedRun {
  readonly pending: number
  readonly state: RunState
  readonly before: RunState
}

/**
 * Subtracts one from a run's number of pending requests and updates its state: it is `running`
 * again after the last. A run that waits for input or has ended keeps its state. Returns whether
 * the state changed. The caller holds the run's lock. `change` runs in the same statement, and
 * returns a row if it was done. Throws when the count would become negative.
 */
export async function removePending(
  tx: Tx,
  runId: string,
  change: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql<CountedRun>`
    with change as (${change})
    ${pendingToAdd(runId, -1, sql`exists (select from change)`)}
  `.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error(`Run ${runId} has no request to count`)
  if (row.pending < 0) throw new Error(`Run ${runId} would have ${row.pending} pending requests`)
  return row.state !== row.before
}

/** The statement that adds to the number, and updates the state, where the condition holds. */
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
