import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '../../store/database.ts'
import { fromJsonRow, type JsonRow } from '../../store/json-row.ts'
import type { ExecutionTable, RequestTable, RunTable, ToolCallTable } from '../../store/schema.ts'
import { lockLineage } from '../locks.ts'

/** A call with everything that says where it stands. */
export interface CallAtHand {
  readonly call: Selectable<ToolCallTable>
  readonly run: Selectable<RunTable>
  /** the newest request about the call itself, if it was ever asked about */
  readonly request: Selectable<RequestTable> | null
  /** the newest attempt */
  readonly execution: Selectable<ExecutionTable> | null
  /** a denial of an earlier call of the turn said `stop` (product.md 8) */
  readonly stopped: boolean
  /** the earlier calls of the turn with effects that have no result yet, by their requests */
  readonly earlier: readonly { readonly requestId: string | null }[]
}

/**
 * Locks the run of a call and reads where the call stands; the answer holds until the end of the transaction.
 * `null` when nobody recorded such a call.
 */
export async function lockCall(tx: Tx, callId: string): Promise<CallAtHand | null> {
  const locked = await lockLineage(
    tx,
    sql<string>`(select run_id from tool_call where id = ${callId})`,
  )
  return locked.length === 0 ? null : readCall(tx, callId)
}

/** Reads a call, or `null` when nobody recorded it: one query. */
export async function readCall(db: Db | Tx, callId: string): Promise<CallAtHand | null> {
  const { rows } = await sql<{
    call: JsonRow
    run: JsonRow
    request: JsonRow | null
    execution: JsonRow | null
    stopped: boolean
    earlier: CallAtHand['earlier']
  }>`
    select to_jsonb(call) as call, to_jsonb(run) as run, to_jsonb(request) as request,
      to_jsonb(newest) as execution,
      exists (
        select 1 from request as denied where denied.run_id = call.run_id and denied.turn = call.turn
          and denied.position < call.position and denied.denied_then = 'stop'
      ) as stopped,
      (
        select coalesce(jsonb_agg(jsonb_build_object('requestId', before.request_id)), '[]')
        from tool_call as before where before.run_id = call.run_id and before.turn = call.turn
          and before.position < call.position and before.result_type is null and not before.read_only
      ) as earlier
    from tool_call as call
    join run on run.id = call.run_id
    left join request on request.id = call.request_id
    left join lateral (
      select * from execution where call_id = call.id order by attempt desc limit 1
    ) as newest on true
    where call.id = ${callId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) return null
  return {
    call: fromJsonRow(row.call),
    run: fromJsonRow(row.run),
    request: row.request === null ? null : fromJsonRow(row.request),
    execution: row.execution === null ? null : fromJsonRow(row.execution),
    stopped: row.stopped,
    earlier: row.earlier,
  }
}

/** The number of the attempt that may come next. */
export function nextAttemptOf(at: Pick<CallAtHand, 'execution'>): number {
  return (at.execution?.attempt ?? 0) + 1
}
