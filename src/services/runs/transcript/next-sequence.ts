import type { Tx } from '../../../store/database.ts'

/** The next place in a run's messages. The caller holds the run's lock. */
export async function nextSequence(tx: Tx, runId: string): Promise<number> {
  const last = await tx
    .selectFrom('message')
    .select('sequence')
    .where('run_id', '=', runId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (last?.sequence ?? 0) + 1
}
