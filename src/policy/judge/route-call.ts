import { type CueSource, cueNotices, riskOfCues } from '#domain/policy/cues.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import type { CanonicalCall } from './calls/canonical-call.ts'
import type { PolicyQuery } from './calls/policy-query.ts'
import type { Opinion } from './consent/opinion.ts'
import { commandTraits } from './routing/command-traits.ts'
import { ownQueue, ownQueueWhy, route } from './routing/route.ts'
import { risks, type Risk } from '#domain/policy/verdict.ts'
import type { CallTraits } from './routing/when-matches.ts'

/** Where a call would be decided: the traits that entries of `routing` match, and the route. */
export function routeCall(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
  guarded: readonly Opinion[],
  cues: readonly CueSource[],
) {
  const { config } = query.policy
  const reachesNetwork = call.command !== null && worker.sandbox.network === 'allow'
  const isHigh = reachesNetwork || guarded.some((opinion) => opinion.isHighRisk)
  const own = isHigh ? ('high' as const) : call.tool.risk
  const traits = {
    tool: call.tool.name,
    accesses: call.accesses,
    worker: worker.name,
    queue: ownQueue(config, worker),
    queueWhy: ownQueueWhy(config, worker),
    command: call.command === null ? null : commandTraits(call.command),
    ...raisedByCues(call, own, cues),
    ...(isHigh
      ? { riskWhy: reachesNetwork ? 'its sandbox has a network' : 'a protected name' }
      : {}),
  }
  return { traits, cues, route: route(config, call, traits) }
}

/**
 * A call's traits with its cues: routing can match them, and a command has at least the risk of its
 * highest one, whatever routing says (product.md 38).
 */
export function raisedByCues(
  call: Pick<CanonicalCall, 'command'>,
  own: Risk,
  cues: readonly CueSource[],
): Pick<CallTraits, 'risk' | 'cues' | 'leastRisk' | 'riskWhy'> {
  const ids = [...new Set(cues.map(({ id }) => id))]
  const least = call.command === null ? 'low' : riskOfCues(cues)
  const isRaised = risks.indexOf(least) > risks.indexOf(own)
  return {
    risk: isRaised ? least : own,
    cues: ids,
    leastRisk: least,
    ...(isRaised ? { riskWhy: `raised: ${ids.map((id) => cueNotices[id]).join('; ')}` } : {}),
  }
}
