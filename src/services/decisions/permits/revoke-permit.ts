import { limits } from '../../../domain/limits.ts'
import { Problem } from '../../../domain/problem.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { lockRequests, lockRun } from '../../locks.ts'
import { findRequestFor } from '../../requests/find-request.ts'
import { requireQueuePerson } from '../../requests/queue-person.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { auditingRefusals } from '../audit-refusal.ts'
import { invalid } from '../decision-input.ts'
import { putSaltedText } from '../salted-text.ts'
import { revokePermits } from '../ending/stop-siblings.ts'

/**
 * Takes back an approval whose call has not started (security.md 22: the queue's people). The request stays approved,
 * its permit is revoked, and the run is woken: the model reads `cancelled` (product.md 14).
 * Rejects with `not_eligible`, `already_started`, or `conflict` when nothing is approved.
 */
export async function revokePermit(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly reason: string },
): Promise<{ requestId: string }> {
  if (input.reason.trim() === '' || input.reason.length > limits.reasonCharacters) {
    throw invalid('reason', `must have 1 to ${limits.reasonCharacters} characters`)
  }
  const found = await findRequestFor(ctx, caller, input.request)
  return auditingRefusals(ctx, caller, found.id, { attempt: 'revoke' }, () =>
    inUnitOfWork(ctx, async (unit) => {
      if (found.runId !== null) await lockRun(unit.tx, found.runId)
      const [request] = await lockRequests(unit.tx, [found.id])
      if (request === undefined) throw new Error(`Request ${found.id} is gone`)
      await requireQueuePerson(unit.tx, caller, request)
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
        throw new Problem('conflict', 'Nothing is approved here that could be taken back', {
          state: request.state,
        })
      }
      const reason = await putSaltedText(unit.tx, input.reason)
      await revokePermits(unit, caller, [request], { why: 'revoked', reason })
      if (request.run_id !== null) {
        const payload = { requestIds: [request.id] }
        await unit.enqueue({ kind: 'signal_decided', runId: request.run_id, payload })
      }
      return { requestId: request.id }
    }),
  )
}
