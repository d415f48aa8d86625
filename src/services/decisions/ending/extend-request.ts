import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../../context.ts'
import { lockRequests, lockRun } from '../../locks.ts'
import { findRequestFor } from '../../requests/find-request.ts'
import { wakeWaiting } from '../../requests/wake-waiting.ts'
import { requireQueuePerson } from '../../requests/queue-person.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { aboutRequest } from './end-request.ts'
import { auditingRefusals } from '../audit-refusal.ts'
import { instantOf, invalid } from '../decision-input.ts'
import { expireLocked } from './expire-locked.ts'
import { expiredProblem, refuseEnded } from './refuse-ended.ts'

/**
 * Gives people more time for a pending request (the queue's people). `expiresAt` is an instant later than now and than
 * the present deadline. The run is woken, so that its timer follows. Rejects as a decision does when it has ended.
 */
export async function extendRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly expiresAt: string },
): Promise<{ requestId: string; expiresAt: Date }> {
  const expiresAt = new Date(instantOf(input.expiresAt, 'expiresAt'))
  const found = await findRequestFor(ctx, caller, input.request)
  return auditingRefusals(ctx, caller, found.id, { attempt: 'extend' }, () =>
    inUnitOfWork(ctx, async (unit) => {
      if (found.runId !== null) await lockRun(unit.tx, found.runId)
      const [request] = await lockRequests(unit.tx, [found.id])
      if (request === undefined) throw new Error(`Request ${found.id} is gone`)
      const ended = await refuseEnded(unit.tx, request)
      if (ended !== null) return ended
      const clock = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(unit.tx)
      const now = clock.rows[0]?.now ?? new Date(Number.NaN)
      if (!(now < request.expires_at)) {
        await expireLocked(unit, request)
        return expiredProblem(request)
      }
      await requireQueuePerson(unit.tx, caller, request)
      if (expiresAt <= request.expires_at) throw invalid('expiresAt', 'must be later than it is')
      await unit.tx
        .updateTable('request')
        .set({ expires_at: expiresAt })
        .where('id', '=', request.id)
        .execute()
      await unit.audit({
        type: 'request.extended',
        actor: caller.actor,
        channel: caller.channel,
        ...aboutRequest(request),
        digest: request.digest,
        detail: { from: request.expires_at.toISOString(), to: expiresAt.toISOString() },
      })
      await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
      await wakeWaiting(unit, request, [request.id])
      return { requestId: request.id, expiresAt }
    }),
  )
}
