import { sql, type Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { Fork } from '../starting/insert-run.ts'

/**
 * The turn after which a run is forked: its last turn whose calls all have results, or the one
 * asked for; 0: before its first. The caller holds the run's lock. Rejects with `invalid_request`
 * beyond the end, in a turn with open calls, and for texts that retention has removed.
 */
export async function forkPoint(
  tx: Tx,
  run: Selectable<RunTable>,
  turn: number | undefined,
): Promise<Pick<Fork, 'afterTurn' | 'prefix' | 'sequence'>> {
  // Retention locks a run whose texts it removes, and those of earlier runs are needed too.
  if (run.forked_after_turn !== null) {
    await sql`
      select from run where id in (select from_run_id from run_prefix where run_id = ${run.id})
      order by id for key share
    `.execute(tx)
  }
  const { rows } = await sql<{ open: boolean; sequence: number; cleared: boolean }>`
    select
      exists (select from tool_call where run_id = ${run.id} and turn = ${run.turn}
        and result_type is null) as open,
      (select coalesce(max(sequence), 0) + 1 from message where run_id = ${run.id}) as sequence,
      exists (select from cleared_run where run_id = ${run.id} or run_id in (
        select from_run_id from run_prefix where run_id = ${run.id})) as cleared
  `.execute(tx)
  const { open = false, sequence = 1, cleared = false } = rows[0] ?? {}
  const whole = open ? run.turn - 1 : run.turn
  const afterTurn = turn ?? whole
  if (afterTurn > whole) {
    const turns = run.turn === 1 ? '1 turn' : `${run.turn} turns`
    const why = afterTurn > run.turn ? `the run has ${turns}` : 'that turn is not finished'
    throw new Problem('invalid_request', `afterTurn: ${why}`, { field: 'afterTurn' })
  }
  if (afterTurn > 0 && cleared) {
    const text = 'afterTurn: retention removed the messages of this run; start it again with 0'
    throw new Problem('invalid_request', text, { field: 'afterTurn' })
  }
  return { afterTurn, prefix: await prefixOf(tx, run, afterTurn), sequence }
}

/** The runs that took the turns up to one: a fork of a fork has those of several. */
async function prefixOf(
  tx: Tx,
  run: Selectable<RunTable>,
  afterTurn: number,
): Promise<Fork['prefix']> {
  const earlier = await tx
    .selectFrom('run_prefix')
    .selectAll()
    .where('run_id', '=', run.id)
    .orderBy('first_turn')
    .execute()
  const own = (run.forked_after_turn ?? 0) + 1
  return [
    ...earlier.map((part) => ({
      fromRunId: part.from_run_id,
      firstTurn: part.first_turn,
      lastTurn: Math.min(part.last_turn, afterTurn),
    })),
    { fromRunId: run.id, firstTurn: own, lastTurn: afterTurn },
  ].filter(({ firstTurn, lastTurn }) => firstTurn <= lastTurn)
}
