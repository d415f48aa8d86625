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
 * Does what is due for a run's requests when its timer fires: expires those whose time is over by
 * the database's clock, sends reminders and escalates as their queues say. A decided request keeps
 * its decision. Returns the next deadline.
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
      // Read again under the lock: it may have been decided or extended, or a reminder was sent,
      // meanwhile.
      const ids = due.map((request) => request.id)
      for (const request of await lockRequests(unit.tx, ids)) await advanceLocked(unit, request)
    }
    return { nextDeadlineMs: await nextDeadlineMs(unit.tx, input.runId) }
  })
}

/** Milliseconds to the first step or expiry of a run's pending requests; `null`: none. */
async function nextDeadlineMs(db: Db | Tx, runId: string): Promise<number | null> {
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
