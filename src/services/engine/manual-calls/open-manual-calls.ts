import type { Db, Tx } from '#store/database.ts'

/**
 * The calls of people that have not entered the transcript yet, oldest first, as a field of an
 * answer to the workflow, which must advance them. Absent when there are none, to keep a usual step
 * small.
 */
export async function withManualCalls(
  db: Db | Tx,
  runId: string,
): Promise<{ readonly manualCalls?: readonly string[] }> {
  const rows = await db
    .selectFrom('manual_call')
    .select('call_id')
    .where('run_id', '=', runId)
    .where('message_id', 'is', null)
    .orderBy('created_at')
    .execute()
  return rows.length === 0 ? {} : { manualCalls: rows.map((row) => row.call_id) }
}
