import { sql, type Selectable } from 'kysely'
import type { WindowStep } from '#domain/runs/window.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RunWindowTable } from '#store/tables/runs.ts'

/** What a run's model no longer sees, in the order of its recording. */
export async function readWindowSteps(db: Db | Tx, runId: string): Promise<WindowStep[]> {
  const rows = await db
    .selectFrom('run_window')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('number')
    .execute()
  return rows.map(windowStepOf)
}

/** The same as a column of a query of `run`; its dates are text. */
export const windowStepsColumn = sql<readonly Selectable<RunWindowTable>[] | null>`(
  select json_agg(run_window order by number) from run_window where run_window.run_id = run.id
)`.as('window_steps')

/** A row of `run_window` for the transcript; times are `Date`s. */
export function windowStepOf(row: Selectable<RunWindowTable>): WindowStep {
  return {
    kind: row.kind,
    atTurn: row.at_turn,
    fromTurn: row.from_turn,
    throughTurn: row.through_turn,
    throughPosition: row.through_position,
    resultsOver: row.results_over,
    text: row.text,
    at: new Date(row.created_at),
  }
}

/** Copies to a fork what the model no longer saw at the turn after which it was forked. */
export async function copyWindowSteps(
  tx: Tx,
  from: { readonly runId: string; readonly afterTurn: number },
  runId: string,
): Promise<void> {
  await sql`
    insert into run_window (run_id, number, kind, at_turn, from_turn, through_turn,
      through_position, results_over, text, created_at)
    select ${runId}::uuid, number, kind, at_turn, from_turn, through_turn, through_position,
      results_over, text, created_at
    from run_window where run_id = ${from.runId} and at_turn <= ${from.afterTurn}
  `.execute(tx)
}
