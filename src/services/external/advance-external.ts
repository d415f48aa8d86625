import type { NextDeadline } from '#domain/runs/workflow-outcomes.ts'
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
 * unknown request.
 */
export async function advanceExternal(
  ctx: SystemContext,
  input: { readonly requestId: string },
): Promise<NextDeadline> {
  return inUnitOfWork(ctx, bySystem(ctx, timer), async (unit) => {
    const [request] = await lockRequests(unit.tx, [input.requestId])
    if (request === undefined || request.run_id !== null) return { nextDeadlineMs: null }
    await advanceLocked(unit, request)
    const row = await unit.tx
      .selectFrom('request')
      .select(remainingMs.as('remaining'))
      .where('id', '=', input.requestId)
      .executeTakeFirst()
    return { nextDeadlineMs: row?.remaining ?? null }
  })
}
