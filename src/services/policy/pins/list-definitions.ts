import type { PinnedServer } from '#api/schemas/policy/policy.ts'
import type { McpServer, WorkerDefinition } from '#policy/worker-definition.ts'
import type { Policy } from '#policy/policy.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { getText } from '#store/content/content.ts'
import { hashOfDefinition, type McpDefinition } from '#tools/mcp/mcp-protocol.ts'
import {
  definitionDifference,
  definitionLines,
  definitionWarnings,
} from '#tools/mcp/definition-text.ts'
import { hashOfServer } from '#tools/mcp/server-hash.ts'
import type { ServiceContext } from '../../core/context.ts'
import { sequenceOfVersion } from '../activations/sequence-of-version.ts'
import { readPin, type StoredPin } from './read-pin.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** The tool definitions of an MCP server that the version in force has pinned. */
export type ServerDefinitions = RecordOf<PinnedServer>

export type DefinitionChange = NonNullable<ServerDefinitions['changes']>['tools'][number]

/**
 * Lists the definitions that the version in force pins, for people to read; each server of each
 * worker. Reads only.
 */
export async function listDefinitions(ctx: ServiceContext): Promise<readonly ServerDefinitions[]> {
  const policy = await ctx.policies.inForce()
  const activation = await sequenceOfVersion(ctx.db, ctx.verifier, policy.digest)
  const records: ServerDefinitions[] = []
  for (const { worker, server } of serversOf(policy)) {
    const key = { worker: worker.name, name: server.name, hash: hashOfServer(server) }
    const pin: StoredPin =
      activation === null ? { state: 'none' } : await readPin(ctx, activation, key)
    records.push(await definitionsOf(ctx, worker, server, pin))
  }
  return records
}

function serversOf(policy: Policy) {
  const { workers } = withGatewayWorkers(policy)
  return [...workers.values()].flatMap((worker) =>
    [...worker.mcpServers.values()].map((server) => ({ worker, server })),
  )
}

async function definitionsOf(
  ctx: ServiceContext,
  worker: WorkerDefinition,
  server: McpServer,
  pin: StoredPin,
): Promise<ServerDefinitions> {
  const subject = { worker: worker.name, server: server.name }
  if (pin.state !== 'pinned') {
    return {
      ...subject,
      state: pin.state === 'none' ? 'waiting' : 'forged',
      problem: pin.state === 'none' ? null : pin.problem,
      definitionsHash: null,
      pinnedAt: null,
      tools: [],
      changes: null,
    }
  }
  const { statement, definitions, changedAt, changedHash } = pin
  return {
    ...subject,
    state: 'pinned',
    problem: null,
    definitionsHash: statement.definitionsHash,
    pinnedAt: new Date(statement.pinnedAt),
    tools: definitions.map((definition) => ({
      name: definition.name,
      hash: hashOfDefinition(definition),
      approval: server.tools.get(definition.name)?.approval ?? 'ask',
      text: definitionLines(definition).join('\n'),
      warnings: definitionWarnings(definition),
    })),
    changes:
      changedAt === null || changedHash === null
        ? null
        : { seenAt: changedAt, tools: await changesOf(ctx, definitions, changedHash) },
  }
}

async function changesOf(
  ctx: ServiceContext,
  pinned: readonly McpDefinition[],
  hash: string,
): Promise<readonly DefinitionChange[]> {
  const current = JSON.parse(await getText(ctx.db, hash)) as readonly McpDefinition[]
  const names = [...new Set([...pinned, ...current].map((definition) => definition.name))]
  const changes: DefinitionChange[] = []
  for (const name of names) {
    const before = pinned.find((definition) => definition.name === name) ?? null
    const after = current.find((definition) => definition.name === name) ?? null
    const isSame =
      before !== null && after !== null && hashOfDefinition(before) === hashOfDefinition(after)
    if (isSame) continue
    const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
    changes.push({ name, change, diff: await definitionDifference(before, after) })
  }
  return changes
}
