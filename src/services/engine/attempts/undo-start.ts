import { sql } from 'kysely'
import type { RefusalReason } from '#domain/requests/request.ts'
import { executionTransitions, transition } from '#domain/requests/transitions.ts'
import { lockRequests } from '../../core/locks.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { aboutCall, lockCall } from './call-at-hand.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, executor } from '../../core/authority.ts'

/**
 * Marks a started attempt that did nothing as `refused`: its tool found a changed base right before
 * writing (`stale`, product.md 14), or the ledger already has this use of the grant (`lapsed`). A
 * permit stays consumed.
 */
export async function undoStart(
  ctx: SystemContext,
  attempt: { readonly callId: string; readonly attempt: number },
  reason: Extract<RefusalReason, 'stale' | 'lapsed'>,
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCall(unit.tx, attempt.callId)
    if (at === null) return
    const requestId = at.call.request_id
    if (requestId !== null) await lockRequests(unit.tx, [requestId])
    const state = transition(executionTransitions, 'started', 'refuse')
    if (state === null) return
    const updated = await unit.tx
      .updateTable('execution')
      .set({ state, reason, finished_at: sql<Date>`clock_timestamp()` })
      .where('call_id', '=', attempt.callId)
      .where('attempt', '=', attempt.attempt)
      .where('state', '=', 'started')
      .executeTakeFirst()
    if (updated.numUpdatedRows !== 1n) return
    await unit.audit({
      type: 'execution.refused',
      ...aboutCall(at),
      detail: {
        attempt: attempt.attempt,
        reason,
        check: reason === 'stale' ? 'base, by the tool' : 'ledger',
      },
    })
  })
}
