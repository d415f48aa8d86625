import type { WorkerDefinition } from '../worker-definition.ts'
import type { AddStep, CallProblem } from './answers.ts'
import { canonicalCall, type CanonicalCall } from './calls/canonical-call.ts'
import type { PolicyQuery } from './calls/policy-query.ts'
import { resolveTool } from './calls/resolve-tool.ts'

/** Steps 1 and 2: whose call of which tool this is, in its canonical form. */
export async function identifyCall(
  query: PolicyQuery,
  addStep: AddStep,
): Promise<{ readonly worker: WorkerDefinition; readonly call: CanonicalCall } | CallProblem> {
  const worker = query.policy.workers.get(query.worker)
  if (worker === undefined) {
    const text = `worker ${query.worker} does not exist in the policy in force`
    addStep('known', 'blocked', text)
    const rule = { id: 'worker:missing', text, source: null }
    return { verdict: 'blocked', rule, reason: `blocked by policy: ${text}` }
  }
  const toolCall = resolveTool(query, worker)
  if ('error' in toolCall) {
    addStep('known', 'error', toolCall.error)
    return { verdict: 'error', rule: toolCall.rule, reason: toolCall.error }
  }
  addStep('known', 'yes', `${query.tool} is a tool of ${worker.name}`)

  const canonical = await canonicalCall(toolCall.tool, query.input, query.workspace)
  if ('error' in canonical) {
    addStep('canonical', 'error', canonical.error)
    return { verdict: 'error', rule: null, reason: canonical.error }
  }
  addStep('canonical', 'yes', canonical.call.digest)
  return { worker, call: canonical.call }
}
