import { sql } from 'kysely'
import type { NextDeadline } from '#domain/runs/workflow-outcomes.ts'
import type { Db, Tx } from '#store/database.ts'
import { lockRequests, lockRun } from '../../core/locks.ts'
import { advanceLocked } from './advance-locked.ts'
import { deadlineOfRequest } from '../facts/deadline-of-request.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, timer } from '../../core/authority.ts'

/**
 * What a run's timer proposes: expires the requests whose time is over by the database's clock,
 * reminds of those that wait and escalates them, as their queues say. One that was decided keeps
 * its decision. Answers the next deadline.
 */
export async function advanceRequests(
  ctx: SystemContext,
  input: { readonly runId: string },
): Promise<NextDeadline> {
  return inUnitOfWork(ctx, bySystem(ctx, timer), async (unit) => {
    const due = await unit.tx
      .selectFrom('request')
      .select('id')
      .where('run_id', '=', input.runId)
      .where('state', '=', 'pending')
      .where(deadlineOfRequest, '<=', sql<Date>`clock_timestamp()`)
      .execute()
    if (due.length > 0) {
      await lockRun(unit.tx, input.runId)
      // Read again under the lock: it may have been decided, extended or reminded of meanwhile.
      const ids = due.map((request) => request.id)
      for (const request of await lockRequests(unit.tx, ids)) await advanceLocked(unit, request)
    }
    return { nextDeadlineMs: await nextDeadlineMs(unit.tx, input.runId) }
  })
}

/**
 * When something is to be done about the first of a run's pending requests, its expiry or a step
 * before it, in milliseconds from now; `null` when none is pending.
 */
export async function nextDeadlineMs(db: Db | Tx, runId: string): Promise<number | null> {
  return (await nextWait(db, runId)).nextDeadlineMs
}

/** As {@link nextDeadlineMs}, with the queues in which the pending requests of the run wait. */
export async function nextWait(
  db: Db | Tx,
  runId: string,
): Promise<{ readonly nextDeadlineMs: number | null; readonly queues: readonly string[] }> {
  const row = await db
    .selectFrom('request')
    .select([
      sql<
        number | null
      >`(extract(epoch from min(${deadlineOfRequest}) - clock_timestamp()) * 1000)::float8`.as(
        'remaining',
      ),
      sql<string[] | null>`array_agg(distinct queue)`.as('queues'),
    ])
    .where('run_id', '=', runId)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  const remaining = row?.remaining ?? null
  return {
    nextDeadlineMs: remaining === null ? null : Math.max(0, Math.ceil(remaining)),
    queues: row?.queues ?? [],
  }
}
