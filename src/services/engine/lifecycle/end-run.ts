import { sql, type Selectable } from 'kysely'
import type { CancelReason } from '#domain/requests/request.ts'
import { isEnd, runTransitions, type RunEvent } from '#domain/requests/transitions.ts'
import { toJsonb } from '#store/database.ts'
import type { RunFailure, RunTable } from '#store/tables/runs.ts'
import type { Caller } from '../../core/context.ts'
import { endGrants } from '../../grants/end-grants.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { lockRequests } from '../../core/locks.ts'
import { cancelRequests } from '../../requests/ending/cancel-requests.ts'
import { childOf, endOfDelegation, notifyParent } from '../delegation/child-run.ts'
import { readCall } from '../attempts/call-at-hand.ts'
import { finishLocked } from '../attempts/finish-execution.ts'
import { cancelledText, unknownText } from '../../transcript/result-texts.ts'
import { restEnded } from '../../core/runs/rest.ts'
import { storeResult } from '../../transcript/store-result.ts'

/** How a run ends before its model is finished. */
export interface RunEnding {
  readonly event: Extract<RunEvent, 'cancel' | 'fail'>
  readonly cancelReason: CancelReason
  /** for the model-facing result of its calls, for instance "the run was cancelled" */
  readonly why: string
  readonly endReason: string | null
  readonly failure: RunFailure | null
}

/**
 * Ends a run and everything below it: pending requests leave the queue, live permits are revoked,
 * calls that have not started get a result, a root's grants end, and each workflow is signalled.
 * Returns the ids of the runs that ended; empty when all had. The caller holds the lock of `run`
 * and of the runs above it; this locks the descendants, root down.
 */
export async function endRun(
  unit: UnitOfWork,
  caller: Caller,
  run: Selectable<RunTable>,
  ending: RunEnding,
): Promise<readonly string[]> {
  const runs = await unit.tx
    .selectFrom('run')
    .innerJoin('run_lineage as under', 'under.run_id', 'run.id')
    .innerJoin('run_lineage as own', (join) =>
      join.onRef('own.run_id', '=', 'run.id').onRef('own.ancestor_id', '=', 'run.id'),
    )
    .where('under.ancestor_id', '=', run.id)
    .orderBy('own.depth')
    .orderBy('run.id')
    .selectAll('run')
    .forUpdate('run')
    .execute()
  const endedIds: string[] = []
  for (const member of runs) {
    if (isEnd(runTransitions, member.state)) continue
    await clearQueuesOf(unit, member.id, ending)
    await finishCallsOf(unit, member.id, ending)
    const state = ending.event === 'cancel' ? 'cancelled' : 'failed'
    await unit.tx
      .updateTable('run')
      .set({
        state,
        ended_at: sql<Date>`clock_timestamp()`,
        end_reason: ending.endReason,
        failure: ending.failure === null ? null : toJsonb(ending.failure),
        ...restEnded,
      })
      .where('id', '=', member.id)
      .execute()
    await unit.tx.deleteFrom('live_text').where('run_id', '=', member.id).execute()
    if (member.root_run_id === member.id) await endGrants(unit, { rootRunId: member.id }, caller)
    await unit.audit({
      type: ending.event === 'cancel' ? 'run.cancelled' : 'run.ended',
      actor: caller.actor,
      channel: caller.channel,
      runId: member.id,
      detail: {
        state,
        failure: ending.failure?.code ?? null,
        with: member.id === run.id ? null : run.id,
      },
    })
    await unit.event('run.changed', { runId: member.id })
    await unit.enqueue({ kind: 'signal_cancelled', runId: member.id, payload: {} })
    // The parents of the runs below end here too.
    if (member.id === run.id) await notifyParent(unit, member)
    endedIds.push(member.id)
  }
  return endedIds
}

async function clearQueuesOf(unit: UnitOfWork, runId: string, ending: RunEnding): Promise<void> {
  const rows = await unit.tx
    .selectFrom('request')
    .leftJoin('permit', (join) =>
      join.onRef('permit.request_id', '=', 'request.id').on('permit.state', '=', 'live'),
    )
    .select('request.id')
    .where('request.run_id', '=', runId)
    .where((eb) => eb.or([eb('request.state', '=', 'pending'), eb('permit.id', 'is not', null)]))
    .execute()
  const locked = await lockRequests(
    unit.tx,
    rows.map((request) => request.id),
  )
  await cancelRequests(unit, locked, ending.cancelReason)
}

/** A call whose effect has begun stays open: its stopped executor stores how it ended. */
async function finishCallsOf(unit: UnitOfWork, runId: string, ending: RunEnding): Promise<void> {
  const calls = await unit.tx
    .selectFrom('tool_call')
    .leftJoin('execution', (join) =>
      join
        .onRef('execution.call_id', '=', 'tool_call.id')
        .on('execution.state', 'in', ['started', 'unknown'])
        // A lost attempt that is to be repeated without a person is not joined: it did nothing that
        // people must check, so its call counts as not started.
        .on(({ or, eb }) =>
          or([
            eb('execution.settled_then', 'is', null),
            eb('execution.settled_by', 'is not', null),
          ]),
        ),
    )
    .select(['tool_call.id', 'execution.state'])
    .where('tool_call.run_id', '=', runId)
    .where('tool_call.result_type', 'is', null)
    .execute()
  for (const call of calls) {
    if (call.state === 'started') {
      await endDelegation(unit, call.id, ending)
      continue
    }
    await storeResult(
      unit.tx,
      call.id,
      call.state === 'unknown'
        ? { type: 'unknown', text: unknownText() }
        : { type: 'cancelled', text: cancelledText(ending.why) },
    )
  }
}

/** A delegation ends with its run; every other started call keeps its state. */
async function endDelegation(unit: UnitOfWork, callId: string, ending: RunEnding): Promise<void> {
  const at = await readCall(unit.tx, callId)
  if (at === null || at.execution === null || (await childOf(unit.tx, at)) === null) return
  const { attempt, executed_digest: digest } = at.execution
  await finishLocked(
    unit,
    at,
    { callId, attempt, digest: digest ?? '' },
    endOfDelegation(ending.why),
  )
}
