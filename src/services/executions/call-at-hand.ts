import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../store/database.ts'
import type { ExecutionTable, RequestTable, RunTable, ToolCallTable } from '../../store/schema.ts'
import { lockRun } from '../locks.ts'

/** A call with everything that says where it stands. */
export interface CallAtHand {
  readonly call: Selectable<ToolCallTable>
  readonly run: Selectable<RunTable>
  /** the newest request about the call itself, if it was ever asked about */
  readonly request: Selectable<RequestTable> | null
  /** the newest attempt */
  readonly execution: Selectable<ExecutionTable> | null
}

/**
 * Locks the run of a call and reads where the call stands; the answer holds until the end of the transaction.
 * `null` when nobody recorded such a call.
 */
export async function lockCall(tx: Tx, callId: string): Promise<CallAtHand | null> {
  const call = await tx
    .selectFrom('tool_call')
    .select('run_id')
    .where('id', '=', callId)
    .executeTakeFirst()
  return call === undefined ? null : readCall(tx, callId, await lockRun(tx, call.run_id))
}

/** Reads a call, or `null` when nobody recorded it. `known`: its run, when it was read (and locked) already. */
export async function readCall(
  db: Db | Tx,
  callId: string,
  known?: Selectable<RunTable>,
): Promise<CallAtHand | null> {
  const call = await db
    .selectFrom('tool_call')
    .selectAll()
    .where('id', '=', callId)
    .executeTakeFirst()
  if (call === undefined) return null
  const run =
    known ??
    (await db.selectFrom('run').selectAll().where('id', '=', call.run_id).executeTakeFirstOrThrow())
  const request =
    call.request_id === null
      ? undefined
      : await db
          .selectFrom('request')
          .selectAll()
          .where('id', '=', call.request_id)
          .executeTakeFirst()
  const execution = await db
    .selectFrom('execution')
    .selectAll()
    .where('call_id', '=', callId)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { call, run, request: request ?? null, execution: execution ?? null }
}

/** The number of the attempt that may come next. */
export function nextAttemptOf(at: Pick<CallAtHand, 'execution'>): number {
  return (at.execution?.attempt ?? 0) + 1
}
