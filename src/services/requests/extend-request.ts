import { durationText, longestMs } from '#policy/reading/duration.ts'
import { databaseTime } from '#store/database-time.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { lockForAct } from '../core/locks.ts'
import { wakeWaiting } from './ending/wake-waiting.ts'
import { requireQueuePerson } from './people/queue-person.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { aboutRequest } from './ending/end-request.ts'
import { attemptOnRequest } from './people/attempt-on-request.ts'
import { instantOf } from './facts/decision-input.ts'
import { invalid } from '../core/problems/invalid.ts'
import { expireIfOver, refuseEnded } from './ending/refuse-ended.ts'
import { byAttempt } from '../core/authority.ts'

/**
 * Gives the queue's people more time for a pending request. `expiresAt` is an instant later than
 * now and than the present deadline, within ten years. The run is woken to set its timer. Rejects
 * as a decision does when it has ended.
 */
export async function extendRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly expiresAt: string },
): Promise<{ requestId: string; expiresAt: Date }> {
  const expiresAt = new Date(instantOf(input.expiresAt, 'expiresAt'))
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'extend' }, (location) =>
    inUnitOfWork(ctx, byAttempt(caller), async (attempt) => {
      const request = await lockForAct(attempt.tx, location)
      const refusal = await refuseEnded(attempt.tx, request)
      if (refusal !== null) return refusal
      const now = await databaseTime(attempt.tx)
      const expired = await expireIfOver(attempt, request, now)
      if (expired !== null) return expired
      const unit = attempt.under(await requireQueuePerson(attempt, caller, request))
      if (expiresAt <= request.expires_at)
        throw invalid('expiresAt', 'must be later than the present deadline')
      if (expiresAt.getTime() > now.getTime() + longestMs)
        throw invalid('expiresAt', `must be at most ${durationText(longestMs)} from now`)
      await unit.tx
        .updateTable('request')
        .set({
          expires_at: expiresAt,
          seal: unit.seals.again('request', request, { expires_at: expiresAt }),
        })
        .where('id', '=', request.id)
        .execute()
      await unit.audit({
        type: 'request.extended',
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
