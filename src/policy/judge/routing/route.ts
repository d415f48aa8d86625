import type { FrozenWhy, Routing, RoutingWhys } from '#domain/deciding/judgement.ts'
import { editsOf } from '#domain/deciding/edits-policy.ts'
import { cueNotices } from '#domain/policy/cues.ts'
import { withNarrowed, type WhyNarrow } from '#domain/policy/narrowed-scopes.ts'
import { quorumText } from '#domain/deciding/quorum.ts'
import type { Quorum } from '#domain/requests/request.ts'
import type { Tool } from '#domain/tools/tool.ts'
import { waitingSteps } from '#domain/deciding/waiting-steps.ts'
import {
  risks,
  widerScopes,
  usualScopes,
  type EditsPolicy,
  type Risk,
  type Scope,
} from '#domain/policy/verdict.ts'
import type { ProjectConfig, Queue } from '../../project-config.ts'
import type { QuorumSetting, RoutingEntry } from '../../routing.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import type { CanonicalCall } from '../calls/canonical-call.ts'
import { stricterRoute, type Route } from './stricter-route.ts'
import { coverageOf, type CallTraits } from './when-matches.ts'

/** The parts of a call for routing besides its traits. */
export type RoutedCall = Pick<CanonicalCall, 'accesses'> & {
  readonly tool: Pick<Tool, 'name' | 'scopes' | 'needsPerson'>
}

/** The queue of a worker's calls without a routing entry. */
export function ownQueue(config: ProjectConfig, worker: WorkerDefinition): string | null {
  return worker.queue ?? config.defaultQueue
}

/**
 * Step 7: queue, quorum, risk, expiry and allowed scopes, by the first routing entry that matches.
 * An entry that matches only a part of the call chooses the queue and its times. The rest is as
 * strict as without the entry: who is trusted with a part is not trusted with the whole.
 */
export function route(config: ProjectConfig, call: RoutedCall, traits: CallTraits): Route {
  const routes: Route[] = []
  for (const entry of config.routing) {
    const coverage = coverageOf(entry.when, traits)
    if (coverage === 'none') continue
    routes.push(routeBy(config, call, traits, entry))
    if (coverage === 'whole') return routes.reduce(stricterRoute)
  }
  return [...routes, routeBy(config, call, traits, null)].reduce(stricterRoute)
}

function routeBy(
  config: ProjectConfig,
  call: RoutedCall,
  traits: CallTraits,
  entry: RoutingEntry | null,
): Route {
  const risk = riskBy(traits, entry)
  const sources = entry === null ? [] : [entry.source]
  const name = entry?.queue ?? traits.queue
  const queue = name === null ? undefined : config.queues.get(name)
  if (queue === undefined) return { risk, routing: null, sources }
  const quorum = quorumOf(entry?.quorum ?? null, queue)
  const routing: Routing = {
    queue: queue.name,
    team: queue.team,
    quorum,
    quorumText: quorumText(quorum),
    expiresAfterMs: queue.expiresAfterMs,
    permitForMs: queue.permitForMs,
    ...scopesOf(entry, call),
    edits: offeredEdits(queue, call.tool, risk),
    selfApproval: queue.selfApproval,
    signature: queue.signature,
    ...stepsOf(queue, quorum),
    why: whyOf(config, traits, entry, risk),
  }
  return { risk, routing, sources }
}

/** Routing sets the risk, but not below the risk of a command's cues. */
function riskBy(traits: CallTraits, entry: RoutingEntry | null): Risk {
  const least = entry?.when.cue == null ? (traits.leastRisk ?? 'low') : traits.risk
  const risk = entry?.risk ?? traits.risk
  return risks.indexOf(risk) < risks.indexOf(least) ? least : risk
}

/** The reason of each value of the routing that is not a default. */
function whyOf(
  config: ProjectConfig,
  traits: CallTraits,
  entry: RoutingEntry | null,
  risk: Risk,
): RoutingWhys {
  const routed = { text: routedText(entry, traits), ...sourceOf(entry?.source) }
  const queue = entry?.queue == null ? (traits.queueWhy ?? defaultQueueWhy(config)) : routed
  const raised = traits.riskWhy === undefined ? null : { text: traits.riskWhy }
  const riskWhy = entry?.risk === risk ? routed : raised
  return {
    ...(queue === null ? {} : { queue }),
    ...(riskWhy === null ? {} : { risk: riskWhy }),
    ...(entry?.quorum == null ? {} : { quorum: routed }),
  }
}

/** Names the cues that an entry matched: a card does not show each of them (`displayedCues`). */
function routedText(entry: RoutingEntry | null, { cues = [] }: CallTraits): string {
  const matching = cues.filter((id) => entry?.when.cue?.includes(id) === true)
  const words = matching.map((id) => cueNotices[id]).join('; ')
  return `a routing entry sets it${words === '' ? '' : `: ${words}`}`
}

function defaultQueueWhy({ defaultQueueSource }: ProjectConfig): FrozenWhy | null {
  return defaultQueueSource === undefined
    ? null
    : { text: 'the default queue', source: defaultQueueSource }
}

/** The reason for a worker's own queue; `null`: it is the default. */
export function ownQueueWhy(
  config: ProjectConfig,
  { queue, queueSource }: WorkerDefinition,
): FrozenWhy | null {
  return queue === null
    ? defaultQueueWhy(config)
    : { text: "the worker's queue", ...sourceOf(queueSource) }
}

function sourceOf(source: string | undefined): FrozenWhy {
  return source === undefined ? {} : { source }
}

/** The waiting steps of a queue; nothing when it has none. */
export function stepsOf(queue: Queue, quorum: Quorum): Pick<Routing, 'steps'> {
  const steps = waitingSteps(queue, quorum)
  return steps.length === 0 ? {} : { steps }
}

/** The quorum of a setting for a queue; without one, any member of its team. */
export function quorumOf(setting: QuorumSetting | null, queue: Queue): Quorum {
  if (setting === null) return { any: [[{ team: queue.team, count: 1 }]] }
  if ('places' in setting) return setting.places
  return { any: [[{ team: queue.team, count: setting.count }]] }
}

/**
 * Scopes wider than `run` only where tool and routing offer them, `command` only where routing
 * lists it (product.md 10).
 */
function scopesOf(
  entry: RoutingEntry | null,
  call: RoutedCall,
): Pick<Routing, 'scopes' | 'narrowed'> {
  const listScopes = entry?.scopes ?? usualScopes
  const why = (scope: Scope): WhyNarrow | null => {
    if (!call.tool.scopes.includes(scope)) return 'tool'
    // Files that are handed over are approved each time.
    if (call.accesses.some(({ operation }) => operation === 'share')) return 'share'
    if (scope === 'path' && writtenFile(call) === null) return 'path'
    return listScopes.includes(scope) ? null : 'routing'
  }
  const whys = widerScopes.map((scope) => [scope, why(scope)] as const)
  const wider = whys.flatMap(([scope, not]) => (not === null ? [scope] : []))
  const narrowed = whys.flatMap(([scope, not]) =>
    // A wider scope that the tool does not have is not mentioned.
    not === null || (not === 'tool' && scope !== 'run') ? [] : [[scope, not] as const],
  )
  return { scopes: ['once', ...wider], ...withNarrowed(Object.fromEntries(narrowed)) }
}

/**
 * The one file that a call writes, if it touches nothing else; only such calls have scope `path`.
 */
export function writtenFile(call: RoutedCall): string | null {
  const [access, ...others] = call.accesses
  if (access === undefined || others.length > 0) return null
  return access.operation === 'write' && access.target === 'file' ? access.path : null
}

/**
 * What people may do to the call before its decision: an editor is behind it unless the queue says
 * otherwise.
 */
function offeredEdits(queue: Queue, tool: RoutedCall['tool'], risk: Risk): EditsPolicy {
  if (tool.needsPerson === 'answer') return 'off'
  return editsOf(queue.edits ?? 'revise', { tool: tool.name, risk })
}
