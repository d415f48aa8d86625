import { isObject } from '#domain/json/is-object.ts'
import { sql } from 'kysely'
import type { PinStatement } from '#domain/statements/statement.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { getText } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import { hashOfDefinition, type McpDefinition } from '#tools/mcp/mcp-protocol.ts'
import { hashOfServer } from '#tools/mcp/server-hash.ts'
import type { ServiceContext, SigningSystemContext } from '../../core/context.ts'
import { lockActivationShared } from '../../core/locks.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { ServerDefinitions } from '../../core/host-queries.ts'
import { sequenceOfVersion } from '../activations/sequence-of-version.ts'
import { readPin, type PinnedServer } from './read-pin.ts'
import { verifyPin } from './verify-pin.ts'
import { bySystem, service } from '../../core/authority.ts'

/** An event of the trail has at most 60 KiB. */
const maxNames = 200

/**
 * Pins the tool definitions of the MCP servers of the version in force: the first answer after its
 * activation, which the API asks of their host, signs, and audits as `policy.pinned`. Existing and
 * forged pins are left alone. Returns how many servers have not answered yet.
 */
export async function pinDefinitions(
  ctx: SigningSystemContext,
  ask: (worker: string) => Promise<readonly ServerDefinitions[]>,
): Promise<number> {
  const policy = await ctx.policies.inForce()
  const { workers: all } = withGatewayWorkers(policy)
  const workers = [...all.values()].filter((worker) => worker.mcpServers.size > 0)
  if (workers.length === 0) return 0
  const activation = await sequenceOfVersion(ctx.db, ctx.verifier, policy.digest)
  if (activation === null) return 0
  const pinned = await Promise.allSettled(
    workers.map((worker) => pinServersOf(ctx, policy, { activation, worker, ask })),
  )
  const failed = pinned.find((item) => item.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return pinned.reduce((sum, item) => sum + (item.status === 'fulfilled' ? item.value : 0), 0)
}

/** A worker that cannot be asked, or is slow, does not delay the pins of others. */
async function pinServersOf(
  ctx: SigningSystemContext,
  policy: Policy,
  asking: {
    readonly activation: number
    readonly worker: WorkerDefinition
    readonly ask: (worker: string) => Promise<readonly ServerDefinitions[]>
  },
): Promise<number> {
  const { activation, worker, ask } = asking
  const unpinned: PinnedServer[] = []
  for (const server of worker.mcpServers.values()) {
    const key = { worker: worker.name, name: server.name, hash: hashOfServer(server) }
    if ((await readPin(ctx, activation, key)).state === 'none') unpinned.push(key)
  }
  if (unpinned.length === 0) return 0
  const answer = await ask(worker.name)
  let missing = 0
  for (const server of unpinned) {
    const hash = answer.find((item) => item.server === server.name)?.definitionsHash ?? null
    if (hash === null) missing += 1
    else await storePin(ctx, policy, { activation, server, definitionsHash: hash })
  }
  return missing
}

async function storePin(
  ctx: SigningSystemContext,
  policy: Policy,
  pin: {
    readonly activation: number
    readonly server: PinnedServer
    readonly definitionsHash: string
  },
): Promise<void> {
  const { activation, server, definitionsHash } = pin
  const definitions = await definitionsAt(ctx.db, definitionsHash)
  const previous = await pinnedBefore(ctx, activation, server)
  await inUnitOfWork(ctx, bySystem(ctx, service), async (unit) => {
    await lockActivationShared(unit.tx)
    const clock = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(unit.tx)
    const statement: PinStatement = {
      version: 1,
      activation,
      policyDigest: policy.digest,
      worker: server.worker,
      server: server.name,
      serverHash: server.hash,
      definitionsHash,
      pinnedAt: (clock.rows[0]?.at ?? new Date(Number.NaN)).toISOString(),
    }
    const signedPin = signStatement(ctx.signer, 'pin', statement)
    const inserted = await unit.tx
      .insertInto('mcp_pin')
      .values({
        activation,
        worker: server.worker,
        server: server.name,
        server_hash: server.hash,
        definitions_hash: definitionsHash,
        statement: signedPin.statement,
        signature: signedPin.signature,
        key_id: signedPin.keyId,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('server')
      .executeTakeFirst()
    if (inserted === undefined) return
    const key = definitions.slice(0, maxNames)
    const hashes = key.map((tool) => [tool.name, hashOfDefinition(tool)] as const)
    const differs = key.filter((tool) => previous?.get(tool.name) !== hashOfDefinition(tool))
    await unit.audit({
      type: 'policy.pinned',
      policyDigest: policy.digest,
      detail: {
        activation,
        worker: server.worker,
        server: server.name,
        definitionsHash,
        tools: definitions.length,
        definitions: Object.fromEntries(hashes),
        // The tools that nobody can have seen under an earlier activation.
        differs: previous === null ? null : differs.map((tool) => tool.name),
      },
    })
  })
}

/** The host's answer: stored bytes that fit their hash, parsed as definitions. */
async function definitionsAt(db: Db, hash: string): Promise<readonly McpDefinition[]> {
  const definitions: unknown = JSON.parse(await getText(db, hash))
  if (!Array.isArray(definitions) || !definitions.every(isDefinition)) {
    throw new Error('The answer of an MCP server is not a list of definitions')
  }
  return definitions
}

function isDefinition(value: unknown): value is McpDefinition {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    typeof value['description'] === 'string' &&
    (value['title'] === null || typeof value['title'] === 'string') &&
    isObject(value['inputSchema']) &&
    (value['outputSchema'] === null || isObject(value['outputSchema'])) &&
    isObject(value['annotations'])
  )
}

/** The hashes that the previous activation had pinned of this server, by tool; `null`: none. */
async function pinnedBefore(
  ctx: ServiceContext,
  activation: number,
  { worker, name }: PinnedServer,
): Promise<ReadonlyMap<string, string> | null> {
  const row = await ctx.db
    .selectFrom('mcp_pin')
    .selectAll()
    .where('worker', '=', worker)
    .where('server', '=', name)
    .where('activation', '<', activation)
    .orderBy('activation', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined || verifyPin(ctx.verifier, row) === null) return null
  const definitions = await definitionsAt(ctx.db, row.definitions_hash).catch(() => null)
  return definitions === null
    ? null
    : new Map(definitions.map((tool) => [tool.name, hashOfDefinition(tool)]))
}
