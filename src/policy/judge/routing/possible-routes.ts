import {
  builtInTool,
  callWorkerName,
  isBuiltInTool,
  isCommandTool,
} from '#domain/tools/built-in-tools.ts'
import { widestQuorum } from '#domain/deciding/waiting-steps.ts'
import type { Quorum } from '#domain/requests/request.ts'
import { startRunName } from '#domain/runs/start-of-run.ts'
import { isChange, type Access } from '#domain/tools/access.ts'
import { ownQueue, quorumOf } from './route.ts'
import { globMatches, mayMatchIn } from './when-matches.ts'
import type { Policy } from '../../policy.ts'
import type { ProjectConfig } from '../../project-config.ts'
import type { RoutingEntry, When } from '../../routing.ts'
import type { WorkerDefinition, Zone } from '../../worker-definition.ts'
import { builtInToolsOf } from '../../worker/built-in-tools-of.ts'

/** A possible route of a worker's calls. `queue: null`: there is none. */
export type PossibleRoute =
  | { readonly queue: null; readonly tool: string }
  | {
      readonly queue: string
      readonly tool: string
      /** after every escalation */
      readonly quorum: Quorum
      readonly selfApproval: boolean
    }

/**
 * Every possible route of a worker's calls under a policy, to find out whether its requests would
 * reach anybody (product.md 22). A path that a zone may hold, a risk and a tool's own function
 * count as possible. Empty for a worker without calls that ask.
 */
export function possibleRoutes(policy: Policy, worker: WorkerDefinition): readonly PossibleRoute[] {
  const { config } = policy
  const starting = startMayAsk(config, worker) ? [startRunName] : []
  const asking = [...starting, ...toolsOf(worker).filter((tool) => mayAsk(policy, worker, tool))]
  return asking.flatMap((tool) => routesOf(config, worker, tool))
}

function targetMayAsk({ config, workers }: Policy, name: string): boolean {
  const target = workers.get(name)
  return target !== undefined && startMayAsk(config, target)
}

function startMayAsk({ overlays }: ProjectConfig, worker: WorkerDefinition) {
  const overlayAsks = overlays.some(
    ({ when, consent }) =>
      consent.approval === 'ask' &&
      when.tool?.includes(startRunName) === true &&
      mayMatch(when, { tool: startRunName, worker, queue: null }),
  )
  return worker.startApproval !== null || overlayAsks
}

/** The tools that a worker has by its definition; only their host knows those of MCP servers. */
export function toolsOf(worker: WorkerDefinition): readonly string[] {
  const custom = [...worker.tools.keys()].filter((name) => !isBuiltInTool(name))
  return [...builtInToolsOf(worker), ...custom]
}

function mayAsk(policy: Policy, worker: WorkerDefinition, tool: string): boolean {
  const { config } = policy
  const setting = worker.tools.get(tool)?.consent?.approval ?? null
  if (setting === 'blocked') return false
  const builtIn = builtInTool(tool)
  if (builtIn === undefined || setting === 'ask') return true
  const { consent, operations } = builtIn
  if (consent === 'approval' || consent === 'answer') return true
  if (consent === 'shell') return shellMayAsk(worker)
  if (consent === 'tools' && setting !== 'preApproved') return true
  if (tool === callWorkerName && worker.workers.some((name) => targetMayAsk(policy, name))) {
    return true
  }
  const zoneAsks = operations.some((operation) =>
    worker.zones.some((zone) => zoneMayAsk(zone, operation)),
  )
  const overlayAsks = config.overlays.some(
    ({ when, consent }) =>
      consent.approval === 'ask' && mayMatch(when, { tool, worker, queue: null }),
  )
  return zoneAsks || overlayAsks
}

/** An unclear command asks although it is pre-approved: only rules that block never ask. */
function shellMayAsk({ shell }: WorkerDefinition): boolean {
  if (shell === null) return false
  return (
    shell.default === 'ask' || shell.rules.some(({ consent }) => consent.approval !== 'blocked')
  )
}

function zoneMayAsk(zone: Zone, operation: Access['operation']): boolean {
  const changes = isChange({ operation })
  if (changes && zone.mode === 'ro') return false
  const approval = zone.approval[operation]?.approval
  if (approval === 'blocked') return false
  const asksByDefault = operation !== 'read' && approval === undefined
  return approval === 'ask' || asksByDefault || (changes && zone.protected.length > 0)
}

/**
 * Every possible route of one of the worker's tools. `place`: of its calls on files in this folder,
 * relative to the root of the workspace.
 */
export function routesOf(
  config: ProjectConfig,
  worker: WorkerDefinition,
  tool: string,
  place: string | null = null,
): readonly PossibleRoute[] {
  const queue = ownQueue(config, worker)
  const folder = place !== null && staysInFolder(tool) ? place : null
  const routes: PossibleRoute[] = []
  for (const entry of config.routing) {
    if (!mayMatch(entry.when, { tool, worker, queue })) continue
    if (folder !== null && entry.when.path?.every((glob) => isOutside(glob, folder))) continue
    routes.push(routeTo(config, tool, entry.queue ?? queue, entry))
    const { command, path, risk, cue } = entry.when
    if (command === null && path === null && risk === null && cue === null) return routes
  }
  return [...routes, routeTo(config, tool, queue, null)]
}

/** Whether a call of the tool names one file: what moves one reaches two folders. */
function staysInFolder(tool: string): boolean {
  return builtInTool(tool)?.operations.length === 1 && !isCommandTool(tool)
}

/**
 * Whether a glob matches nothing in a folder. Always false for a glob without a slash, although
 * such a glob matches at the root only: listing a queue too many is better than one too few.
 */
function isOutside(glob: string, folder: string): boolean {
  return glob.includes('/') && !mayMatchIn(glob, folder)
}

function routeTo(
  config: ProjectConfig,
  tool: string,
  name: string | null,
  entry: RoutingEntry | null,
): PossibleRoute {
  const queue = name === null ? undefined : config.queues.get(name)
  if (queue === undefined) return { queue: null, tool }
  const { team, escalate, selfApproval } = queue
  const quorum = quorumOf(entry?.quorum ?? null, queue)
  return {
    queue: queue.name,
    tool,
    quorum: widestQuorum({ team, quorum, escalate }),
    selfApproval,
  }
}

/** Whether the conditions could hold for some call. With `queue: null` any queue counts. */
export function mayMatch(
  when: When,
  call: {
    readonly tool: string
    readonly worker: Pick<WorkerDefinition, 'name' | 'zones'>
    readonly queue: string | null
  },
): boolean {
  if (when.command !== null && !isCommandTool(call.tool)) return false
  return (
    (when.tool === null || when.tool.some((pattern) => globMatches(pattern, call.tool))) &&
    (when.worker === null || when.worker.includes(call.worker.name)) &&
    (when.queue === null || call.queue === null || when.queue.includes(call.queue)) &&
    (when.path === null || mayTouch(when.path, call.tool, call.worker.zones))
  )
}

/** A file tool touches only what lies in a zone; nothing is known of the paths of other tools. */
function mayTouch(globs: readonly string[], tool: string, zones: readonly Zone[]): boolean {
  if (builtInTool(tool)?.consent !== 'zones') return true
  return globs.some((glob) => zones.some(({ root }) => mayMatchIn(glob, root)))
}
