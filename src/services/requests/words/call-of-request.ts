import { sql, type Selectable } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { lockLineage, lockRequests } from '../../core/locks.ts'

/** All requests and runs that hold contents of one request's call; every row is locked. */
export interface CallOfRequest {
  readonly request: Selectable<RequestTable>
  /** of the same call: renewals, attachments, outcome checks; starts of `children`; `request` */
  readonly requests: readonly Selectable<RequestTable>[]
  /** other requests of its runs, whose pages show the model's text */
  readonly others: readonly string[]
  /** the run and those above it, root first; empty for a program's request */
  readonly above: readonly Selectable<RunTable>[]
  /** runs that the call started, and restarts of these: their input is the call's */
  readonly children: readonly Selectable<RunTable>[]
  /** forks of its run and of `children` that took over turns with the contents */
  readonly forks: readonly Selectable<RunTable>[]
  /** ids of `children` and `forks`: the other runs that repeat the contents */
  readonly repeating: readonly string[]
  /** the first turn in which the model can have repeated the contents; `null`: no run */
  readonly fromTurn: number | null
}

/**
 * Locks runs from the root down, their forks, and then requests by id. A fork has no run above it:
 * who forks a fork locks that one first, and may deadlock with this; one of the two is tried again.
 * `null`: no such request.
 */
export async function lockCallOfRequest(
  tx: Tx,
  location: { readonly id: string; readonly runId: string | null },
): Promise<CallOfRequest | null> {
  const lineage =
    location.runId === null ? [] : await lockLineage(tx, sql<string>`${location.runId}::uuid`)
  const call = await callOf(tx, location.id)
  const started = call === null ? [] : await startedBy(tx, call)
  const children = started.filter((run) => !hasTakenTurns(run))
  const forks = [
    ...started.filter(hasTakenTurns),
    ...(call === null ? [] : await forksOf(tx, call)),
  ]
  const repeating = [...children, ...forks].map(({ id }) => id)
  const ids = await requestIdsOf(tx, location.id, call, repeating)
  const locked = await lockRequests(tx, ids)
  const request = locked.find(({ id }) => id === location.id)
  if (request === undefined) return null
  const isOfCall = ({ id, call_id: callId }: Selectable<RequestTable>): boolean =>
    id === request.id ||
    (callId !== null && callId === request.call_id) ||
    children.some((run) => run.start_request_id === id)
  return {
    request,
    requests: locked.filter(isOfCall),
    others: locked.flatMap((one) => (isOfCall(one) ? [] : [one.id])),
    above: lineage,
    children,
    forks,
    repeating,
    fromTurn: call?.fromTurn ?? null,
  }
}

/** Whether a run is a fork that took over turns; a restart took over none. */
function hasTakenTurns(run: Selectable<RunTable>): boolean {
  return (run.forked_after_turn ?? 0) > 0
}

interface CallPlace {
  readonly id: string
  readonly runId: string
  readonly fromTurn: number
}

/** A person's own call has no turn: the model reads it first in the turn after `after_turn`. */
async function callOf(tx: Tx, requestId: string): Promise<CallPlace | null> {
  const { rows } = await sql<CallPlace>`
    select call.id, call.run_id as "runId", coalesce(manual.after_turn + 1, call.turn) as "fromTurn"
    from request join tool_call as call on call.id = request.call_id
    left join manual_call as manual on manual.call_id = call.id
    where request.id = ${requestId}
  `.execute(tx)
  return rows[0] ?? null
}

/**
 * The runs that the call started, and their forks: each has the same input, unless it was started
 * again with another. Repeats until no more are found: while this waits for the lock of a run, a
 * fork of that run may have been committed.
 */
async function startedBy(tx: Tx, call: CallPlace): Promise<Selectable<RunTable>[]> {
  for (let count = 0; ;) {
    const { rows } = await sql<Selectable<RunTable>>`
      with recursive started as (
        select id, input_digest from run
        where parent_run_id = ${call.runId} and parent_call_id = ${call.id}
        union
        select run.id, run.input_digest from run join started on run.forked_from = started.id
          and run.input_digest = started.input_digest
      )
      select * from run where id in (select id from started) order by id for update
    `.execute(tx)
    if (rows.length === count) return rows
    count = rows.length
  }
}

async function forksOf(tx: Tx, call: CallPlace): Promise<Selectable<RunTable>[]> {
  const { rows } = await sql<Selectable<RunTable>>`
    select * from run where id in (
      select run_id from run_prefix
      where from_run_id = ${call.runId} and last_turn >= ${call.fromTurn}
    ) order by id for update
  `.execute(tx)
  return rows
}

async function requestIdsOf(
  tx: Tx,
  requestId: string,
  call: CallPlace | null,
  repeating: readonly string[],
): Promise<string[]> {
  if (call === null) return [requestId]
  const { rows } = await sql<{ id: string }>`
    select id from request
    where call_id = ${call.id} or (run_id = ${call.runId} and turn >= ${call.fromTurn})
      or run_id = any(${repeating}::uuid[])
  `.execute(tx)
  return rows.map(({ id }) => id)
}
