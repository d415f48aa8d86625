import type { Judgement } from '../../domain/judgement.ts'
import type { Explanation } from '../schemas/policy/policy.ts'

/** A judgement as `explain` tells it. Risk and queue are of a call that could run. */
export function explanationView(judgement: Judgement): Explanation {
  return {
    verdict: judgement.verdict,
    rule: judgement.rule,
    reason: judgement.reason,
    ...(judgement.verdict === 'error' ? {} : { risk: judgement.risk }),
    ...(judgement.routing === null ? {} : { queue: judgement.routing.queue }),
    steps: judgement.steps.map((step) => ({ ...step })),
  }
}
