import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { lockActivationShared } from '../core/locks.ts'
import { requireQueuePerson } from '../requests/people/queue-person.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import { requireWords } from '../core/problems/invalid.ts'
import { putSaltedText } from '../requests/words/salted-text.ts'
import { cancelRequests, revokePermits } from '../requests/ending/cancel-requests.ts'
import { lockWithSiblings } from '../requests/ending/lock-with-siblings.ts'
import { wakeWaiting } from '../requests/ending/wake-waiting.ts'
import { byAttempt } from '../core/authority.ts'

/**
 * Revokes an approval whose call has not started, for people of the queue (security.md 22). The
 * request stays approved, its permit is revoked, and the run is woken: the model gets `cancelled`
 * (product.md 14). Of a delegation it ends the other requests too, as a denial does. Rejects with
 * `not_eligible`, `already_started`, or `conflict` when nothing is approved.
 */
export async function revokePermit(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly reason: string },
): Promise<{ requestId: string }> {
  requireWords('reason', input.reason)
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'revoke' }, (location) =>
    inUnitOfWork(ctx, byAttempt(caller), async (attempt) => {
      await lockActivationShared(attempt.tx)
      const { request, delegationRequests } = await lockWithSiblings(
        attempt.tx,
        location,
        'delegation',
      )
      const unit = attempt.under(await requireQueuePerson(attempt, caller, request))
      const permit = await unit.tx
        .selectFrom('permit')
        .select('state')
        .where('request_id', '=', request.id)
        .where('revision', '=', request.revision)
        .executeTakeFirst()
      if (permit?.state === 'consumed') {
        throw new Problem('already_started', 'The call has started; it can only be cancelled')
      }
      if (permit?.state !== 'live') {
        throw new Problem('conflict', 'There is no approval that could be revoked', {
          state: request.state,
        })
      }
      const reason = await putSaltedText(unit.tx, input.reason)
      await revokePermits(unit, [request], { why: 'revoked', reason })
      await cancelRequests(unit, delegationRequests, 'delegation_revoked')
      const wake = [request, ...delegationRequests].map(({ id }) => id)
      if (request.run_id !== null) await wakeWaiting(unit, request, wake)
      return { requestId: request.id }
    }),
  )
}
