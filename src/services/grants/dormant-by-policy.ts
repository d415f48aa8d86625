import { isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import type { Json } from '#domain/json/json.ts'
import type { GrantStatement } from '#domain/statements/statement.ts'
import { blockedNow } from '#policy/judge/blocked-now.ts'
import type { Policy } from '#policy/policy.ts'
import { getTexts } from '#store/content/content.ts'
import { buildRegistry } from '#tools/registry.ts'
import type { ServiceContext } from '../core/context.ts'

/** A grant that has not ended, and its request, whose call it remembers. */
export interface LivingGrant {
  readonly id: string
  readonly requestId: string
  readonly statement: GrantStatement
}

/** A host without commands: only the policy's rules about a command are needed here. */
const noCommands = {
  sandbox: { works: false, problem: 'this process runs no calls', remedy: '' },
  dataDir: '',
  projectDir: '',
} as const

/**
 * By grant id, a sentence that says why a grant covers nothing under the policy in force: its
 * worker, its tool or its definition is gone, or a rule blocks the call. Custom and MCP tools are
 * left out, since only a Temporal worker knows their definitions.
 */
export async function dormantByPolicy(
  ctx: ServiceContext,
  grants: readonly LivingGrant[],
): Promise<ReadonlyMap<string, string>> {
  const builtIn = grants.filter(({ statement }) => isBuiltInTool(statement.tool))
  if (builtIn.length === 0) return new Map()
  const [policy, calls] = await Promise.all([
    ctx.policies.inForce().catch(() => null),
    // Rows that were changed by SQL give no explanation here; they are refused where they would
    // count.
    rememberedCalls(ctx, builtIn).catch(() => new Map<string, RememberedCall>()),
  ])
  if (policy === null) return new Map()
  const reasons = await Promise.all(
    builtIn.map(async ({ id, statement }) => {
      const call = calls.get(id)
      const why = call === undefined ? null : await whyDormant(policy, statement, call)
      return why === null ? [] : [[id, why] as const]
    }),
  )
  return new Map(reasons.flat())
}

interface RememberedCall {
  readonly worker: string
  readonly input: Json
}

async function rememberedCalls(
  ctx: ServiceContext,
  grants: readonly LivingGrant[],
): Promise<ReadonlyMap<string, RememberedCall>> {
  const rows = await ctx.db
    .selectFrom('request')
    .innerJoin('run', 'run.id', 'request.run_id')
    .innerJoin('request_revision', 'request_revision.request_id', 'request.id')
    .select(['request.id', 'run.worker', 'request_revision.digest', 'request_revision.input_hash'])
    .where(
      'request.id',
      'in',
      grants.map((grant) => grant.requestId),
    )
    .execute()
  const texts = await getTexts(
    ctx.db,
    rows.map((row) => row.input_hash),
  )
  return new Map(
    grants.flatMap(({ id, requestId, statement }) => {
      const row = rows.find((one) => one.id === requestId && one.digest === statement.digest)
      const text = row === undefined ? undefined : texts.get(row.input_hash)
      if (row === undefined || text === undefined) return []
      return [[id, { worker: row.worker, input: JSON.parse(text) as Json }] as const]
    }),
  )
}

async function whyDormant(
  policy: Policy,
  { tool: name, toolHash }: GrantStatement,
  call: RememberedCall,
): Promise<string | null> {
  const worker = policy.workers.get(call.worker)
  if (worker === undefined) return `there is no worker ${call.worker} in the policy in force`
  const registry = await buildRegistry({
    policy,
    worker: worker.name,
    toolProcess: null,
    commands: noCommands,
    project: { dir: '', inForceWithinMs: 0, inForce: async () => policy },
  })
  const tool = registry.get(name)
  if (tool === undefined) return `${worker.name} has no tool ${name} in the policy in force`
  const blocked = await blockedNow(policy, worker, tool, call.input)
  if (blocked !== null) return `the policy in force blocks it for ${worker.name}: ${blocked}`
  // The definition of a command tool depends on the host that would run it.
  const isChanged = tool.command === undefined && tool.definitionHash !== toolHash
  return isChanged ? `the definition of ${name} has changed since` : null
}
