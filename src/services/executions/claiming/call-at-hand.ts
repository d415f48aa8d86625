import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '../../../store/database.ts'
import { fromJsonRow, type JsonRow } from '../../../store/json-row.ts'
import { together } from '../../../store/connection/side-by-side.ts'
import type { PermitTable } from '../../../store/tables/decisions.ts'
import type { ExecutionTable } from '../../../store/tables/executions.ts'
import type { RequestRevisionTable, RequestTable } from '../../../store/tables/requests.ts'
import type { RunTable, ToolCallTable } from '../../../store/tables/runs.ts'
import { lockRunAndRequests } from '../../locks.ts'

/** The newest permit of a call, and the revision it was given for: of its request, or of an outcome check that said `again`. */
export interface PermitAtHand {
  readonly permit: Selectable<PermitTable>
  readonly request: Selectable<RequestTable>
  readonly revision: Selectable<RequestRevisionTable>
}

/** A call with everything that says where it stands. */
export interface CallAtHand {
  readonly call: Selectable<ToolCallTable>
  readonly run: Selectable<RunTable>
  /** the newest request about the call itself, if it was ever asked about */
  readonly request: Selectable<RequestTable> | null
  /** the newest attempt */
  readonly execution: Selectable<ExecutionTable> | null
  /** `null` when it never got one */
  readonly held: PermitAtHand | null
  /** the installation's epoch, and the database's clock, when this was read */
  readonly epoch: number
  readonly now: Date
  /** a denial of an earlier call of the turn said `stop` (product.md 8) */
  readonly stopped: boolean
  /** the requests whose locks are held with the run's */
  readonly locked: readonly string[]
  /** the earlier calls of the turn with effects that have no result yet, by their requests */
  readonly earlier: readonly { readonly requestId: string | null }[]
}

/**
 * Locks the run of a call, then these requests, and reads where the call stands; the answer holds until the end of the
 * transaction. `null` when nobody recorded such a call.
 */
export async function lockCall(
  tx: Tx,
  callId: string,
  requestIds: readonly string[] = [],
): Promise<CallAtHand | null> {
  const runId = sql<string>`(select run_id from tool_call where id = ${callId})`
  const [requests, at] = await together([
    lockRunAndRequests(tx, runId, requestIds),
    readCall(tx, callId),
  ])
  return at === null ? null : { ...at, locked: requests.map(({ id }) => id) }
}

/** Reads a call, or `null` when nobody recorded it: one query. */
export async function readCall(db: Db | Tx, callId: string): Promise<CallAtHand | null> {
  const { rows } = await sql<{
    call: JsonRow
    run: JsonRow
    request: JsonRow | null
    execution: JsonRow | null
    held: { permit: JsonRow; request: JsonRow | null; revision: JsonRow } | null
    epoch: number
    now: Date
    stopped: boolean
    earlier: CallAtHand['earlier']
  }>`
    select to_jsonb(call) as call, to_jsonb(run) as run, to_jsonb(request) as request,
      to_jsonb(newest) as execution, held.found as held, installation.epoch, clock_timestamp() as now,
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
    left join lateral (
      select jsonb_build_object('permit', to_jsonb(permit), 'revision', to_jsonb(shown),
        'request', case when asked.id is distinct from request.id then to_jsonb(asked) end) as found
      from permit
      join request as asked on asked.id = permit.request_id
      join request_revision as shown
        on shown.request_id = asked.id and shown.revision = asked.revision
      where permit.call_id = call.id order by permit.issued_at desc, permit.id desc limit 1
    ) as held on true
    cross join installation
    where call.id = ${callId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const request = row.request === null ? null : fromJsonRow<CallAtHand['request']>(row.request)
  return {
    call: fromJsonRow(row.call),
    run: fromJsonRow(row.run),
    request,
    held: row.held === null ? null : permitOf(row.held, request),
    epoch: row.epoch,
    now: row.now,
    execution: row.execution === null ? null : fromJsonRow(row.execution),
    stopped: row.stopped,
    locked: [],
    earlier: row.earlier,
  }
}

/** `request` is absent when it is the call's own. */
function permitOf(
  held: { permit: JsonRow; request: JsonRow | null; revision: JsonRow },
  own: CallAtHand['request'],
): PermitAtHand | null {
  const request = held.request === null ? own : fromJsonRow<Selectable<RequestTable>>(held.request)
  if (request === null) return null
  return { permit: fromJsonRow(held.permit), request, revision: fromJsonRow(held.revision) }
}

/** The number of the attempt that may come next. */
export function nextAttemptOf(at: Pick<CallAtHand, 'execution'>): number {
  return (at.execution?.attempt ?? 0) + 1
}
