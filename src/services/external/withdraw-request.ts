import type { Caller, ServiceContext } from '../core/context.ts'
import type { Problem } from '#domain/problem.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import { cancelPending } from '../requests/ending/cancel-requests.ts'
import { refuseEnded } from '../requests/ending/refuse-ended.ts'
import { wakeWaiting } from '../requests/ending/wake-waiting.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { lockOwn } from './own-external.ts'

/**
 * Withdraws a program's request before it is decided: a pending request leaves the queue
 * (product.md 13). A second call gets the same answer. Rejects with `already_decided`, `expired`,
 * `forbidden` or `not_found`.
 */
export async function withdrawRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string },
): Promise<{ requestId: string }> {
  const judge = (requestId: string) => (judging: JudgingContext) =>
    lockOwn(judging, caller, requestId)
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'withdraw' }, (target) =>
    inUnitOfWork(
      ctx,
      judge(target.id),
      async (unit, { request }): Promise<{ requestId: string } | Problem> => {
        const answer = { requestId: request.id }
        if (request.cancel_reason === 'withdrawn') return answer
        const refusal = await refuseEnded(unit.tx, request)
        if (refusal !== null) return refusal
        await cancelPending(unit, request, 'withdrawn')
        await wakeWaiting(unit, request, [request.id])
        return answer
      },
    ),
  )
}
