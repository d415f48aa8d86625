import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import { chainEndOf, type ChainEnd } from '#store/audit/audit.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { PermitTable } from '#store/tables/decisions.ts'
import type { ExecutionTable } from '#store/tables/runs.ts'
import type { RequestRevisionTable, RequestTable } from '#store/tables/requests.ts'
import type { RunTable, ToolCallTable } from '#store/tables/runs.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { nextWait } from '../../requests/ending/advance-requests.ts'
import { lockRunAndRequests } from '../../core/locks.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/** In SQL, the digest of the newest activation; null: there is none. */
export const newestPolicyDigest = sql<string | null>`(
  select digest from policy_activation order by sequence desc limit 1
)`

/**
 * The newest permit of a call, and the revision that it approves: of the call's request, or of an
 * outcome check with the answer `again`.
 */
export interface CallApproval {
  readonly permit: Selectable<PermitTable>
  readonly request: Selectable<RequestTable>
  readonly revision: Selectable<RequestRevisionTable>
}

/** A call with the rows that determine its next step. */
export interface CallAtHand {
  readonly call: Selectable<ToolCallTable>
  readonly run: Selectable<RunTable>
  /** the newest request about the call itself, if there is one */
  readonly request: Selectable<RequestTable> | null
  /** the newest attempt */
  readonly execution: Selectable<ExecutionTable> | null
  /** `null` when it never had one */
  readonly approval: CallApproval | null
  /** the installation's epoch, and the database's clock, when this was read */
  readonly epoch: number
  readonly now: Date
  /** an earlier call of the turn was denied with `stop` (product.md 8) */
  readonly isStopped: boolean
  /** digest of the newest activation, which nobody has verified; `null`: there is none */
  readonly newestPolicy: string | null
  /** the newest event of the call's request; `null`: it has none, or there is no request */
  readonly chainEnd: ChainEnd
  /** ids of the requests that are locked with the run */
  readonly locked: readonly string[]
  /** the earlier calls of the turn with effects that have no result yet, by their requests */
  readonly earlier: readonly { readonly requestId: string | null }[]
}

/**
 * Locks the run of a call, then these requests, and reads the state of the call, which is valid
 * until the end of the transaction. `null` for an unknown call.
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

/** Reads a call in one query; `null` for an unknown call. */
export async function readCall(db: Db | Tx, callId: string): Promise<CallAtHand | null> {
  const { rows } = await sql<
    Omit<CallAtHand, 'call' | 'run' | 'request' | 'execution' | 'approval' | 'locked'> & {
      call: JsonRow
      run: JsonRow
      request: JsonRow | null
      execution: JsonRow | null
      approval: { permit: JsonRow; request: JsonRow | null; revision: JsonRow } | null
    }
  >`
    select to_jsonb(call) as call, to_jsonb(run) as run, to_jsonb(request) as request,
      to_jsonb(newest) as execution, approval.data as approval, installation.epoch, clock_timestamp() as now,
      exists (
        select 1 from request as denied where denied.run_id = call.run_id and denied.turn = call.turn
          and denied.position < call.position and denied.denied_then = 'stop'
      ) as "isStopped",
      ${newestPolicyDigest} as "newestPolicy",
      ${chainEndOf(sql`call.request_id`)} as "chainEnd",
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
      select jsonb_build_object('permit', to_jsonb(permit), 'revision', to_jsonb(request_revision),
        'request', case when about.id is distinct from request.id then to_jsonb(about) end) as data
      from permit
      join request as about on about.id = permit.request_id
      join request_revision
        on request_revision.request_id = about.id and request_revision.revision = about.revision
      where permit.call_id = call.id order by permit.issued_at desc, permit.id desc limit 1
    ) as approval on true
    cross join installation
    where call.id = ${callId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const request = row.request === null ? null : fromJsonRow<CallAtHand['request']>(row.request)
  return {
    ...row,
    call: fromJsonRow(row.call),
    run: fromJsonRow(row.run),
    request,
    approval: row.approval === null ? null : approvalOf(row.approval, request),
    execution: row.execution === null ? null : fromJsonRow(row.execution),
    locked: [],
  }
}

/** `request` is absent when it is the call's own. */
function approvalOf(
  approval: { permit: JsonRow; request: JsonRow | null; revision: JsonRow },
  own: CallAtHand['request'],
): CallApproval | null {
  const request =
    approval.request === null ? own : fromJsonRow<Selectable<RequestTable>>(approval.request)
  if (request === null) return null
  return { permit: fromJsonRow(approval.permit), request, revision: fromJsonRow(approval.revision) }
}

/** The outcome that waits for these requests or runs until the next deadline of the call's run. */
export async function waitFor(
  tx: Tx,
  runId: string,
  requestIds: readonly string[],
): Promise<CallOutcome> {
  return { kind: 'wait', requestIds, ...(await nextWait(tx, runId)) }
}

/**
 * Passes the unit the time at which a locked call was read, and the newest event of its request, so
 * that the unit does not read them again for the trail.
 */
export function setChainOf(unit: UnitOfWork, at: CallAtHand): void {
  const { request_id: requestId } = at.call
  if (requestId === null) unit.setReadAt(at.now)
  else if (at.locked.includes(requestId)) unit.setChainEnd(requestId, at.chainEnd, at.now)
}

/** The ids that every audit entry about a call carries. */
export function aboutCall({ run, call }: Pick<CallAtHand, 'run' | 'call'>) {
  const { id: callId, request_id: requestId } = call
  return { runId: run.id, callId, ...(requestId === null ? {} : { requestId }) }
}

/** Publishes that the request of a call has changed, where there is one. */
export async function requestChanged(
  unit: UnitOfWork,
  { run, call }: Pick<CallAtHand, 'run' | 'call'>,
): Promise<void> {
  const { request_id: requestId } = call
  if (requestId !== null) await unit.event('request.changed', { requestId, runId: run.id })
}

export function nextAttemptOf(at: Pick<CallAtHand, 'execution'>): number {
  return (at.execution?.attempt ?? 0) + 1
}
