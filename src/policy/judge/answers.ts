import type { ExplainStep, Judgement } from '#domain/deciding/judgement.ts'
import { callDigest } from '#domain/json/digest.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CueSource } from '#domain/policy/cues.ts'
import type { Risk, Rule } from '#domain/policy/verdict.ts'
import type { Policy } from '../policy.ts'
import { refusedDigest, type CanonicalCall } from './calls/canonical-call.ts'
import type { PolicyQuery } from './calls/policy-query.ts'
import type { Route } from './routing/stricter-route.ts'

/** Adds a step to the explanation of a judgement. */
export type AddStep = (step: string, outcome: string, detail: string) => void

/** Makes the judgement of a call from what was decided. */
export type Answer = (
  verdict: Judgement['verdict'],
  rule: Rule | null,
  reason: string,
  grantId?: string,
) => Judgement

/** The rule that blocks a call that asks where no queue is configured for it. */
export function noQueueRule(sources: readonly string[]): Rule {
  const text = 'nobody can be asked: no queue is configured for this call'
  return { id: 'routing:none', text, source: sources[0] ?? null }
}

/** Why the policy cannot judge the call of a query. */
export interface CallProblem {
  readonly verdict: 'error' | 'blocked'
  readonly rule: Rule | null
  readonly reason: string
}

/** The judgements of one call, all with the same steps, risk and cues. */
export function answerAt(
  query: PolicyQuery,
  call: CanonicalCall,
  place: { readonly route: Route; readonly cues: readonly CueSource[] },
  steps: readonly ExplainStep[],
): Answer {
  return (verdict, rule, reason, grantId) => ({
    verdict,
    rule,
    reason,
    tool: call.tool.name,
    input: call.input,
    digest: call.digest,
    toolHash: call.tool.definitionHash,
    risk: place.route.risk,
    readOnly: call.tool.readOnly,
    policyDigest: query.policy.digest,
    routing: verdict === 'ask' ? place.route.routing : null,
    grantId: grantId ?? null,
    printed: null,
    steps,
    ...(place.cues.length === 0 ? {} : { cues: place.cues }),
  })
}

/**
 * What a judgement has, whatever its verdict, if no tool of this service is called: of a start, or
 * of a call of another program's tool. Throws when the input has no canonical form.
 */
export function withoutTool(
  policy: Policy,
  call: { readonly tool: string; readonly input: JsonObject; readonly toolHash: string },
  risk: Risk,
  steps: readonly ExplainStep[],
): Omit<Judgement, 'verdict' | 'rule' | 'reason' | 'routing'> {
  return {
    ...call,
    digest: callDigest(call),
    risk,
    readOnly: false,
    policyDigest: policy.digest,
    grantId: null,
    printed: null,
    steps,
  }
}

/** A refusal without a canonical form: unknown means high risk. */
export function withoutCall(
  { input, policy, tool }: PolicyQuery,
  problem: CallProblem,
  steps: readonly ExplainStep[],
): Judgement {
  return {
    ...problem,
    tool,
    input: isJsonObject(input) ? input : {},
    digest: refusedDigest(tool, input),
    toolHash: 'none',
    risk: 'high',
    readOnly: false,
    policyDigest: policy.digest,
    routing: null,
    grantId: null,
    printed: null,
    steps,
  }
}
