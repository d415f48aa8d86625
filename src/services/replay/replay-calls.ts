import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Tool, ToolRegistry } from '#domain/tools/tool.ts'
import { judge } from '#policy/judge/judge.ts'
import { narrowPolicy } from '#policy/delegation/narrow-worker.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { Policy } from '#policy/policy.ts'
import type { OpenWorkspace } from '#sandbox/workspace.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { filesOfDocument } from '#policy/version-digest.ts'
import { refusedStartUnder } from '../runs/starting/refused-start.ts'
import { accessesOf } from '../engine/judging/judge-turn.ts'
import type { WorkerContext } from '../core/worker-context.ts'
import { assumeFiles } from './assumed-files.ts'
import type {
  ReplayAnswer,
  ReplayedCall,
  ReplayedVerdict,
  ReplayQuery,
  UnjudgedCall,
} from '../core/host-queries.ts'
import { readStoredCalls, type StoredCall } from './stored-calls.ts'
import { isDeepStrictEqual } from 'node:util'
import { isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import { errorMessage } from '#domain/error-message.ts'
import { policyInWorkspace } from '#policy/workspaces.ts'

/** The caller waits ten seconds, and then asks again for the calls that were not judged. */
const judgingMs = 6000

/**
 * Judges stored calls twice, on the host of the workspace: by the version that judged them
 * originally, and by the version in question. Only the policy can make a difference: both
 * judgements use the current files, the tools of the version in force and the lineage of the run,
 * and neither a mode nor a grant. A file that a call read or removed is assumed to exist. Calls
 * that cannot be judged in this way are returned as such. Reads only.
 */
export async function replayCalls(
  ctx: WorkerContext,
  question: ReplayQuery,
): Promise<ReplayAnswer> {
  const parsedProject = parseProject(filesOfDocument(question.replayUnder))
  if ('problems' in parsedProject) throw new Error('The version to replay under is not valid')
  const candidate = parsedProject.policy
  const judges = new Judges(ctx, await ctx.policies.inForce())
  const calls = await readStoredCalls(ctx, question.callIds)
  const until = performance.now() + judgingMs
  const items: ReplayedCall[] = []
  const notJudged: UnjudgedCall[] = []
  let judgedCount = 0
  for (const call of calls) {
    if (performance.now() > until) break
    judgedCount += 1
    const { id, runId, worker, tool, recorded } = call
    const original = await judges.versionOf(call.policyDigest)
    const problem =
      judges.whyNot(candidate, call) ?? (original === null ? null : judges.whyNot(original, call))
    if (problem !== null) {
      notJudged.push({ callId: id, runId, worker, tool, why: problem })
      continue
    }
    const place = await judges.openPlace(call)
    if ('why' in place) {
      notJudged.push({ callId: id, runId, worker, tool, why: place.why })
      continue
    }
    const after = await judges.verdictOf(candidate, call, place.workspace)
    const before =
      original === null ? null : await judges.verdictOf(original, call, place.workspace)
    const isSame =
      before === null
        ? after.verdict === recorded
        : after.verdict === before.verdict && after.asks === before.asks
    if (isSame) continue
    items.push({ callId: id, runId, worker, tool, recorded, before, after })
  }
  return { done: judgedCount, items, notJudged }
}

/** Judges under several versions, and builds each version's tools of each worker once. */
class Judges {
  readonly #ctx: WorkerContext
  readonly #inForce: Policy
  readonly #registries = new Map<string, Promise<ToolRegistry>>()
  readonly #versions = new Map<string, Promise<Policy | null>>()

  constructor(ctx: WorkerContext, inForce: Policy) {
    this.#ctx = ctx
    this.#inForce = inForce
  }

  /** A version that was once in force; `null` when this release cannot read it. */
  versionOf(digest: string): Promise<Policy | null> {
    const version =
      this.#versions.get(digest) ?? this.#ctx.policies.byDigest(digest).catch(() => null)
    this.#versions.set(digest, version)
    return version
  }

  whyNot(policy: Policy, call: StoredCall): string | null {
    return whyNotJudged(policy, this.#inForce, call)
  }

  /**
   * Where the run of a call worked, or a sentence why that cannot be opened: its worktree was
   * removed, or the version in force has no such workspace. Other calls are judged all the same.
   */
  async openPlace({
    place,
  }: StoredCall): Promise<{ readonly workspace: OpenWorkspace } | { readonly why: string }> {
    try {
      return { workspace: await this.#ctx.workspaceOf(place, this.#inForce) }
    } catch (error) {
      const problem = errorMessage(error)
      return { why: `the files of its run cannot be read: ${problem}` }
    }
  }

  /** A delegated call is judged in zones no wider than those of the runs above (product.md 23). */
  async verdictOf(
    version: Policy,
    call: StoredCall,
    base: OpenWorkspace,
  ): Promise<ReplayedVerdict> {
    const lineage = call.lineage ?? []
    const narrowed = narrowPolicy(version, call.worker, lineage.slice(0, -1))
    const policy = policyInWorkspace(narrowed, call.place.workspace)
    const registry = await this.#registryOf(policy, call, lineage)
    const judgement = await judge({
      policy,
      lineage,
      refuseTarget: (target) => refusedStartUnder(version, target, call.startedBy),
      worker: call.worker,
      tool: call.tool,
      input: call.input,
      runMode: 'prompt',
      registry,
      workspace: assumeFiles(base, await accessesOf(registry, call.tool, call.input)),
      projectDir: this.#ctx.projectDir,
      commandHost: this.#ctx.commandHost,
      hasDuplicateId: false,
      byPerson: call.byPerson,
      findGrant: async () => null,
    })
    return replayedVerdict(judgement)
  }

  /**
   * Only code and servers of the version in force are used, and the servers with its zones and its
   * sandbox: nothing runs that was not activated, and nothing gets more access than was activated.
   */
  #registryOf(
    policy: Policy,
    { worker: name, place }: StoredCall,
    lineage: readonly string[],
  ): Promise<ToolRegistry> {
    const key = JSON.stringify([policy.digest, place.workspace, lineage])
    const { digest, toolFiles } = this.#inForce
    const worker = policy.workers.get(name)
    const own = {
      ...policy,
      digest,
      toolFiles,
      workers: workersOf(worker && { ...worker, mcpServers: new Map() }),
    }
    const narrowed = narrowPolicy(this.#inForce, name, lineage.slice(0, -1))
    const running = policyInWorkspace(narrowed, place.workspace)
    const now = running.workers.get(name)
    const mcpServers = new Map(
      [...(now?.mcpServers ?? [])].filter(([server]) => worker?.mcpServers.has(server)),
    )
    const servers = { ...running, workers: workersOf(now && { ...now, mcpServers }) }
    const build = async (): Promise<ToolRegistry> => {
      const tools = await this.#ctx.registryOf(own, name)
      if (mcpServers.size === 0) return tools
      return withServers(tools, await this.#ctx.registryOf(servers, name), worker)
    }
    const registry = this.#registries.get(key) ?? build()
    this.#registries.set(key, registry)
    return registry
  }
}

function workersOf(worker: WorkerDefinition | undefined): Policy['workers'] {
  return new Map(worker === undefined ? [] : [[worker.name, worker]])
}

/** The tools of MCP servers come from `servers`, and are manual as the judged version says. */
function withServers(
  tools: ToolRegistry,
  servers: ToolRegistry,
  worker: WorkerDefinition | undefined,
): ToolRegistry {
  const asJudged = (tool: Tool): Tool => ({
    ...tool,
    manual: worker?.tools.get(tool.name)?.manual === true,
  })
  const isOfServer = ({ name }: Tool): boolean => name.startsWith('mcp__')
  return {
    get(name) {
      if (!name.startsWith('mcp__')) return tools.get(name)
      const tool = servers.get(name)
      return tool && asJudged(tool)
    },
    all: () => [...tools.all(), ...servers.all().filter(isOfServer).map(asJudged)],
  }
}

function replayedVerdict({ verdict, reason, routing, risk }: Judgement): ReplayedVerdict {
  const asks = routing === null ? null : `${routing.queue}: ${routing.quorumText}, risk ${risk}`
  return { verdict, reason, asks }
}

/**
 * Why a call cannot be judged under a version, as a sentence; `null` when it can. A replay loads
 * only code and servers of the version in force, and narrows zones only by a signed lineage.
 */
function whyNotJudged(policy: Policy, inForce: Policy, call: StoredCall): string | null {
  if (call.lineage === null) {
    return 'a signed statement of this run or of one above it is not valid: its zones are unknown'
  }
  const worker = policy.workers.get(call.worker)
  if (worker === undefined || isBuiltInTool(call.tool)) return null
  if (!call.tool.startsWith('mcp__')) {
    const isSame = isDeepStrictEqual(policy.toolFiles, inForce.toolFiles)
    if (isSame || !worker.tools.has(call.tool)) return null
    return `its tool files are not those in force, and ${call.tool} takes part in its verdict`
  }
  const server = [...worker.mcpServers.values()].find(({ name }) =>
    call.tool.startsWith(`mcp__${name}__`),
  )
  if (server === undefined) return null
  const running = inForce.workers.get(call.worker)?.mcpServers.get(server.name)
  if (isDeepStrictEqual(running?.transport, server.transport)) return null
  return `its MCP server ${server.name} is not the one in force, and is not started to be asked for ${call.tool}`
}
