import { sql } from 'kysely'
import { executionTransitions, transition } from '../../../domain/transitions.ts'
import type { ServiceContext } from '../../context.ts'
import { lockRequests } from '../../locks.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { lockCall } from './call-at-hand.ts'

/**
 * A tool that was started found a base changed right before it would have written, and did nothing: its attempt is
 * `refused (stale)` (product.md 14). Its permit stays consumed.
 */
export async function undoClaim(
  ctx: ServiceContext,
  attempt: { readonly callId: string; readonly attempt: number },
): Promise<void> {
  await inUnitOfWork(ctx, async (unit) => {
    const found = await lockCall(unit.tx, attempt.callId)
    if (found === null) return
    const requestId = found.call.request_id
    if (requestId !== null) await lockRequests(unit.tx, [requestId])
    const state = transition(executionTransitions, 'started', 'refuse')
    if (state === null) return
    const updated = await unit.tx
      .updateTable('execution')
      .set({ state, reason: 'stale', finished_at: sql<Date>`clock_timestamp()` })
      .where('call_id', '=', attempt.callId)
      .where('attempt', '=', attempt.attempt)
      .where('state', '=', 'started')
      .executeTakeFirst()
    if (updated.numUpdatedRows !== 1n) return
    await unit.audit({
      type: 'execution.refused',
      actor: { type: 'system', name: 'executor' },
      channel: 'workflow',
      runId: found.run.id,
      ...(requestId === null ? {} : { requestId }),
      callId: attempt.callId,
      detail: { attempt: attempt.attempt, reason: 'stale', check: 'base, by the tool' },
    })
  })
}
