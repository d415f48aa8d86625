import { Problem } from '#domain/problem.ts'
import type { SigningContext } from '../core/context.ts'
import { inputOf } from '../requests/facts/input-of.ts'
import { judgeApprovedExternal } from './judge-changed-external.ts'

/** The rule of a call that nobody can be asked about now: what people approved needs nobody. */
const nobodyRuleId = 'routing:none'

/**
 * Why the version in force no longer permits a program's approved call; `null`: it does. A version
 * that was activated since the call was judged may block it, which no approval overrides
 * (product.md 1, 14), or ask about a call that was pre-approved. Where that is the version that
 * judged it, nothing is judged again. Rejects with `workspace_unreachable`.
 */
export async function refusalByPolicy(
  ctx: SigningContext,
  requestId: string,
): Promise<Problem | null> {
  const request = await ctx.db
    .selectFrom('request')
    .innerJoin('external_request', 'external_request.request_id', 'request.id')
    .selectAll('request')
    .select('external_request.verdict')
    .where('request.id', '=', requestId)
    .executeTakeFirst()
  if (request === undefined || request.state !== 'approved') return null
  const { digest } = await ctx.policies.inForce()
  if (digest === request.policy_digest) return null
  const input = await inputOf(ctx.db, request)
  const judgement = await judgeApprovedExternal(ctx, request, input).catch(blockWithoutWorker)
  if (judgement instanceof Problem) return judgement
  const { verdict, reason, rule } = judgement
  if (verdict === 'blocked' && rule?.id !== nobodyRuleId) {
    return new Problem('policy_blocked', reason, { rule: rule?.id ?? null })
  }
  if (verdict !== 'ask' || request.verdict !== 'preApproved') return null
  return new Problem(
    'expired',
    'Policy asks about this call by now, and nobody approved it; ask again',
  )
}

/** A worker that no longer exists blocks its calls. */
function blockWithoutWorker(error: unknown): Problem {
  if (error instanceof Problem && error.code === 'unknown_worker') {
    return new Problem('policy_blocked', error.message, { rule: null })
  }
  throw error
}
