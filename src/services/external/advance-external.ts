import type { NextDeadline } from '#domain/runs/workflow-outcomes.ts'
import type { Db, Tx } from '#store/database.ts'
import { lockRequests } from '../core/locks.ts'
import { advanceLocked } from '../requests/ending/advance-locked.ts'
import { remainingMs } from '../requests/facts/deadline-of-request.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem, timer } from '../core/authority.ts'

/**
 * Advances a program's request (its call, or the check of a call's outcome) when its timer fires,
 * like those of a run: it expires at its deadline by the database's clock, and its reminders and
 * escalations follow its queue. Returns the next deadline; `null` after it has ended, or for an
 * unknown request. Where nothing is due, as after a decision, it reads one row and locks nothing: a
 * lock is a transaction that waits for the disk.
 */
export async function advanceExternal(
  ctx: SystemContext,
  { requestId }: { readonly requestId: string },
): Promise<NextDeadline> {
  const next = await readNext(ctx.db, requestId)
  if (next.nextDeadlineMs !== 0) return next
  return inUnitOfWork(ctx, bySystem(ctx, timer), async (unit) => {
    // Read again under the lock: it may have been decided or extended meanwhile.
    for (const request of await lockRequests(unit.tx, [requestId])) {
      await advanceLocked(unit, request)
    }
    return readNext(unit.tx, requestId)
  })
}

async function readNext(db: Db | Tx, requestId: string): Promise<NextDeadline> {
  const row = await db
    .selectFrom('request')
    .select(remainingMs.as('remaining'))
    .where('id', '=', requestId)
    .where('run_id', 'is', null)
    .executeTakeFirst()
  return { nextDeadlineMs: row?.remaining ?? null }
}
