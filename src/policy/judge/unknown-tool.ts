import { hashJson } from '#domain/json/digest.ts'
import type { ExplainStep, Judgement } from '#domain/deciding/judgement.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Policy } from '../policy.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { cuesOfCall, type CueFacts } from '../cues/cues-of-call.ts'
import { noQueueRule, withoutTool } from './answers.ts'
import { overlayOpinions } from './consent/consent.ts'
import { blockedText, strictest } from './consent/opinion.ts'
import { ownQueue, ownQueueWhy, route } from './routing/route.ts'
import type { CallTraits } from './routing/when-matches.ts'

/** A call of an unknown tool: only another program has it. */
export interface UnknownToolQuery {
  readonly policy: Policy
  /** whose queue and routing apply; `null`: none */
  readonly worker: WorkerDefinition | null
  /** the queue without a routing entry; only without a worker. `null`: the default queue */
  readonly queue: string | null
  readonly tool: string
  readonly input: JsonObject
}

/** A tool of an MCP server; only its caller knows which server it is. */
export function isServerTool(name: string): boolean {
  return name.startsWith('mcp__')
}

/** Replaces the hash of a definition that only the program has: a hash of the name alone. */
export function unknownToolHash(tool: string): string {
  return hashJson({ externalTool: tool })
}

/** The program's place and earlier calls are unknown here. */
const unknownFacts: CueFacts = {
  isOffline: false,
  domains: null,
  isFirstUse: false,
  outsider: null,
  isTracked: async () => false,
}

function queueWhyOf({ policy, worker, queue }: UnknownToolQuery): Pick<CallTraits, 'queueWhy'> {
  if (worker !== null) return { queueWhy: ownQueueWhy(policy.config, worker) }
  return queue === null ? {} : { queueWhy: { text: 'the program names it' } }
}

/**
 * The judgement of a call of an unknown tool: overlays may block it, otherwise it asks, at high
 * risk unless routing says otherwise (workers-and-policy.md, risk). Pure. Throws when the input has
 * no canonical form.
 */
export async function judgeUnknownTool(query: UnknownToolQuery): Promise<Judgement> {
  const { policy, worker, tool, input } = query
  const { config } = policy
  const cues = await cuesOfCall({ tool, input, accesses: [], command: null, facts: unknownFacts })
  const traits = {
    ...queueWhyOf(query),
    cues: [...new Set(cues.map(({ id }) => id))],
    riskWhy: 'a tool without a description',
    tool,
    accesses: [],
    worker: worker?.name ?? '',
    queue: worker === null ? (query.queue ?? config.defaultQueue) : ownQueue(config, worker),
    risk: 'high' as const,
    command: null,
  }
  const place = route(config, { tool: { name: tool, scopes: [] }, accesses: [] }, traits)
  const steps: ExplainStep[] = [
    { step: 'known', outcome: 'no', detail: `${tool} is a tool of another program` },
  ]
  const toolHash = unknownToolHash(tool)
  const common = {
    ...withoutTool(policy, { tool, input, toolHash }, place.risk, steps),
    ...(cues.length === 0 ? {} : { cues }),
  }
  const overlay = strictest(overlayOpinions(config.overlays, traits))
  if (overlay?.approval === 'blocked') {
    steps.push({ step: 'consent', outcome: 'blocked', detail: overlay.rule.text })
    const reason = blockedText(overlay)
    return { ...common, verdict: 'blocked', rule: overlay.rule, reason, routing: null }
  }
  const rule = overlay?.rule ?? {
    id: 'external:unknown',
    text: `${tool} is a tool of another program: it asks`,
    source: null,
  }
  steps.push({ step: 'consent', outcome: 'ask', detail: rule.text })
  if (place.routing === null) {
    const noQueue = noQueueRule(place.sources)
    steps.push({ step: 'routing', outcome: 'blocked', detail: noQueue.text })
    const reason = `blocked by policy: ${noQueue.text}`
    return { ...common, verdict: 'blocked', rule: noQueue, reason, routing: null }
  }
  const { queue, quorumText } = place.routing
  steps.push({ step: 'routing', outcome: queue, detail: `${quorumText}, risk ${place.risk}` })
  return { ...common, verdict: 'ask', rule, reason: rule.text, routing: place.routing }
}
