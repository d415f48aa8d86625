import type { Judgement } from '../../../domain/judgement.ts'
import type { Json } from '../../../domain/json.ts'
import type { ToolRegistry } from '../../../domain/tool.ts'
import { judge } from '../../../policy/judge/judge.ts'
import type { Policy } from '../../../policy/policy.ts'
import { parseProject } from '../../../policy/project/parse-project.ts'
import { filesOfDocument } from '../../../policy/version-digest.ts'
import { getTexts } from '../../../store/content.ts'
import { accessesOf } from '../../turns/judge-turn.ts'
import type { WorkerContext } from '../../worker-context.ts'
import { assumeFiles } from './assumed-files.ts'
import type {
  ReplayAnswer,
  ReplayedCall,
  ReplayedVerdict,
  ReplayQuestion,
} from './replay-question.ts'

/** Whoever asks waits ten seconds; what is not judged by then is asked for again. */
const judgingMs = 6000

/**
 * Judges stored calls twice, on the host that has the workspace: by the version that judged them then, and by the one
 * asked about. What differs is due to the policy alone, since both see the files of today (what a call read or removed
 * is assumed to be there), the tools of the version in force, no mode and no grant. Reads only.
 */
export async function replayCalls(
  ctx: WorkerContext,
  question: ReplayQuestion,
): Promise<ReplayAnswer> {
  const parsed = parseProject(filesOfDocument(question.replayUnder))
  if ('problems' in parsed) throw new Error('The version to replay under is not valid')
  const candidate = parsed.policy
  const judges = new Judges(ctx, await ctx.policies.inForce())
  const calls = await callsOf(ctx, question.callIds)
  const until = performance.now() + judgingMs
  const items: ReplayedCall[] = []
  let judged = 0
  for (const call of calls) {
    if (performance.now() > until) break
    const after = await judges.verdictOf(candidate, call)
    const then = await judges.versionOf(call.policyDigest)
    const before = then === null ? null : await judges.verdictOf(then, call)
    judged += 1
    const isSame =
      before === null
        ? after.verdict === call.recorded
        : after.verdict === before.verdict && after.asks === before.asks
    if (isSame) continue
    const { id, runId, worker, tool, recorded } = call
    items.push({ callId: id, runId, worker, tool, recorded, before, after })
  }
  return { judged, items }
}

interface StoredCall {
  readonly id: string
  readonly runId: string
  readonly worker: string
  readonly taskQueue: string
  readonly tool: string
  readonly input: Json
  readonly byPerson: boolean
  readonly recorded: ReplayedCall['recorded']
  readonly policyDigest: string
}

/** In the order asked for; those without a verdict were never judged. */
async function callsOf(ctx: WorkerContext, ids: readonly string[]): Promise<StoredCall[]> {
  if (ids.length === 0) return []
  const rows = await ctx.db
    .selectFrom('tool_call')
    .innerJoin('run', 'run.id', 'tool_call.run_id')
    .select(['tool_call.id', 'tool_call.run_id', 'tool_call.tool', 'tool_call.input_hash'])
    .select(['tool_call.verdict', 'tool_call.manual', 'tool_call.policy_digest'])
    .select(['run.worker', 'run.task_queue'])
    .where('tool_call.id', 'in', ids)
    .execute()
  const inputs = await getTexts(
    ctx.db,
    rows.map((row) => row.input_hash),
  )
  return ids.flatMap((id) => {
    const row = rows.find((one) => one.id === id)
    if (row === undefined || row.verdict === null || row.policy_digest === null) return []
    return {
      id,
      runId: row.run_id,
      worker: row.worker,
      taskQueue: row.task_queue,
      tool: row.tool,
      input: JSON.parse(inputs.get(row.input_hash) ?? 'null') as Json,
      byPerson: row.manual,
      recorded: row.verdict,
      policyDigest: row.policy_digest,
    }
  })
}

/** Judges under several versions, with each version's tools of each worker built once. */
class Judges {
  readonly #ctx: WorkerContext
  readonly #inForce: Policy
  readonly #registries = new Map<string, Promise<ToolRegistry>>()
  readonly #versions = new Map<string, Promise<Policy | null>>()

  constructor(ctx: WorkerContext, inForce: Policy) {
    this.#ctx = ctx
    this.#inForce = inForce
  }

  /** A version that was in force once; `null` when this release cannot read it any more. */
  versionOf(digest: string): Promise<Policy | null> {
    const version =
      this.#versions.get(digest) ?? this.#ctx.policies.byDigest(digest).catch(() => null)
    this.#versions.set(digest, version)
    return version
  }

  async verdictOf(policy: Policy, call: StoredCall): Promise<ReplayedVerdict> {
    const registry = await this.#registryOf(policy, call.worker)
    const base = await this.#ctx.workspaceOf({ taskQueue: call.taskQueue }, this.#inForce)
    const judgement = await judge({
      policy,
      worker: call.worker,
      tool: call.tool,
      input: call.input,
      runMode: 'prompt',
      registry,
      workspace: assumeFiles(base, await accessesOf(registry, call.tool, call.input)),
      projectDir: this.#ctx.projectDir,
      commandHost: this.#ctx.commandHost,
      duplicateId: false,
      byPerson: call.byPerson,
      findGrant: async () => null,
    })
    return shown(judgement)
  }

  /** Code and servers are those of the version in force alone: what nobody activated does not run, not even to be asked. */
  #registryOf(policy: Policy, name: string): Promise<ToolRegistry> {
    const key = JSON.stringify([policy.digest, name])
    const { digest, toolFiles, workers } = this.#inForce
    const worker = policy.workers.get(name)
    const mcpServers = workers.get(name)?.mcpServers ?? new Map()
    const harmless = {
      ...policy,
      digest,
      toolFiles,
      workers: new Map(worker === undefined ? [] : [[name, { ...worker, mcpServers }]]),
    }
    const registry = this.#registries.get(key) ?? this.#ctx.registryOf(harmless, name)
    this.#registries.set(key, registry)
    return registry
  }
}

function shown({ verdict, reason, routing, risk }: Judgement): ReplayedVerdict {
  const asks = routing === null ? null : `${routing.queue}: ${routing.quorumText}, risk ${risk}`
  return { verdict, reason, asks }
}
