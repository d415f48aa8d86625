import type { Rule } from '#domain/policy/verdict.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import type { CanonicalCall } from '../calls/canonical-call.ts'
import type { PolicyQuery } from '../calls/policy-query.ts'
import { readOpinion } from './read-opinion.ts'

/** Id of the rule by which a call that would change nothing is answered at once (product.md 34). */
export const unchangedRuleId = 'unchanged'

/**
 * The rule for a call that would change nothing, so that nobody is asked; `null`: it would, or it
 * is not known. Only for files that the worker may read without approval, because the answer
 * reveals their contents; and not for files that an earlier call of the turn writes.
 */
export async function unchangedRule(
  query: PolicyQuery,
  worker: WorkerDefinition,
  { accesses, input, tool }: CanonicalCall,
): Promise<Rule | null> {
  if (query.runsHere !== true || tool.whyUnchanged === undefined) return null
  const mayReveal = accesses.every(
    ({ path }) =>
      readOpinion({ ...query, worker }, path)?.approval === 'preApproved' &&
      query.earlierWrites?.has(path) !== true,
  )
  if (!mayReveal) return null
  const text = await tool.whyUnchanged(input, query.workspace)
  return text === null ? null : { id: unchangedRuleId, text: `already so: ${text}`, source: null }
}
