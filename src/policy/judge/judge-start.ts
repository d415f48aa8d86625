import type { ExplainStep, Judgement } from '#domain/deciding/judgement.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { startRunName } from '#domain/runs/start-of-run.ts'
import type { Policy } from '../policy.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { withoutTool } from './answers.ts'
import { blockedText } from './consent/opinion.ts'
import { startOpinion, startTraits } from './consent/start-consent.ts'
import { route } from './routing/route.ts'

/**
 * Whether a run of the worker may begin under a policy, or asks first (product.md 45): by its
 * `startApproval`, and by overlays that name `start_run`. The request is about exactly this input
 * and this version of the worker: it is decided once and cannot be edited. Pure.
 */
export function judgeStart(policy: Policy, worker: WorkerDefinition, input: JsonObject): Judgement {
  const { config } = policy
  const traits = startTraits(config, worker)
  const tool = startRunName
  const place = route(config, { tool: { name: tool, scopes: [] }, accesses: [] }, traits)
  const opinion = startOpinion(config, worker)
  const steps: ExplainStep[] = [
    { step: 'consent', outcome: opinion.approval, detail: opinion.rule.text },
  ]
  const common = {
    ...withoutTool(policy, { tool, input, toolHash: worker.digest }, place.risk, steps),
    rule: opinion.rule,
    reason: opinion.rule.text,
  }
  if (opinion.approval === 'blocked') {
    return { ...common, verdict: 'blocked', reason: blockedText(opinion), routing: null }
  }
  if (opinion.approval === 'preApproved') {
    return { ...common, verdict: 'preApproved', routing: null }
  }
  if (place.routing === null) {
    const reason = 'blocked by policy: nobody can be asked: no queue is configured for the start'
    return { ...common, verdict: 'blocked', reason, routing: null }
  }
  const { queue, quorumText } = place.routing
  steps.push({ step: 'routing', outcome: queue, detail: `${quorumText}, risk ${place.risk}` })
  const routing = { ...place.routing, scopes: ['once' as const], edits: 'off' as const }
  return { ...common, verdict: 'ask', routing }
}
