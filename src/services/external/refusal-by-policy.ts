import type { Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { SigningContext } from '../core/context.ts'
import { inputOf } from '../requests/facts/input-of.ts'
import { judgeApprovedExternal } from './judge-changed-external.ts'

/** The rule of a call without approvers. It refuses no approved call, which needs none. */
const nobodyRuleId = 'routing:none'

/** What the version of the policy with this digest says of a call. */
export interface PolicyAnswer {
  /** `null`: nothing against it */
  readonly refusal: Problem | null
  readonly policyDigest: string
}

/**
 * Why the version in force no longer permits a program's approved call. A version that was
 * activated since the call was judged may block it, which no approval overrides (product.md 1, 14),
 * or ask about a call that was pre-approved. If the version in force judged the call, it is not
 * judged again. Judging takes time, so the caller checks `isOutdated` under the request's lock.
 * Rejects with `workspace_unreachable`.
 */
export async function refusalByPolicy(
  ctx: SigningContext,
  requestId: string,
): Promise<PolicyAnswer | null> {
  const request = await ctx.db
    .selectFrom('request')
    .innerJoin('external_request', 'external_request.request_id', 'request.id')
    .selectAll('request')
    .select('external_request.verdict')
    .where('request.id', '=', requestId)
    .executeTakeFirst()
  if (request === undefined || request.state !== 'approved') return null
  const { digest: policyDigest } = await ctx.policies.inForce()
  const refusal = policyDigest === request.policy_digest ? null : await judgeAgain(ctx, request)
  return { refusal, policyDigest }
}

/**
 * Whether a locked request, which is approved, needs another answer: it was not approved when the
 * policy was asked, or another version has been activated since.
 */
export async function isOutdated(
  { policies }: Pick<SigningContext, 'policies'>,
  tx: Tx,
  answer: PolicyAnswer | null,
): Promise<boolean> {
  return answer?.policyDigest !== (await policies.inForce(tx)).digest
}

async function judgeAgain(
  ctx: SigningContext,
  request: Selectable<RequestTable> & { readonly verdict: string },
): Promise<Problem | null> {
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
