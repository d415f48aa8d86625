import type { Caller, ServiceContext } from '../context.ts'
import type { Problem } from '../../domain/problem.ts'
import { auditingRefusals } from '../decisions/audit-refusal.ts'
import { endRequest } from '../decisions/ending/end-request.ts'
import { refuseEnded } from '../decisions/ending/refuse-ended.ts'
import { findRequestFor } from '../requests/find-request.ts'
import { wakeWaiting } from '../requests/wake-waiting.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { lockOwn } from './own-external.ts'
import { requireProgram } from './require-program.ts'

/**
 * A program no longer wants what it asked for: a pending request leaves the queue (product.md 13). Withdrawn before, it
 * is answered alike. Rejects with `already_decided`, `expired`, `forbidden` or `not_found`.
 */
export async function withdrawRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<{ requestId: string }> {
  const found = await findRequestFor(ctx, caller, input.request)
  const program = requireProgram(caller)
  return auditingRefusals(ctx, caller, found.id, { attempt: 'withdraw' }, () =>
    inUnitOfWork(ctx, async (unit): Promise<{ requestId: string } | Problem> => {
      const { request } = await lockOwn(unit.tx, program, found.id)
      const answer = { requestId: request.id }
      if (request.cancel_reason === 'withdrawn') return answer
      const ended = await refuseEnded(unit.tx, request)
      if (ended !== null) return ended
      await endRequest(unit, request, { event: 'cancel', reason: 'withdrawn' })
      await unit.audit({
        type: 'request.cancelled',
        actor: caller.actor,
        channel: caller.channel,
        requestId: request.id,
        digest: request.digest,
        detail: { cancelReason: 'withdrawn' },
      })
      await wakeWaiting(unit, request, [request.id])
      return answer
    }),
  )
}
