import type { McpServer, Policy, WorkerDefinition } from '../../../policy/policy.ts'
import { getText } from '../../../store/content/content.ts'
import { hashOfDefinition } from '../../../tools/mcp/definition-hash.ts'
import {
  definitionDifference,
  definitionLines,
  definitionWarnings,
} from '../../../tools/mcp/definition-text.ts'
import type { McpDefinition } from '../../../tools/mcp/mcp-protocol.ts'
import { hashOfServer } from '../../../tools/mcp/server-hash.ts'
import type { ServiceContext } from '../../context.ts'
import { activationOf, readPin, type PinAtHand } from './read-pin.ts'

/** What the version in force takes an MCP server's tools to be. */
export interface ShownServer {
  readonly worker: string
  readonly server: string
  /** `waiting`: it has not been heard since the activation. `forged`: the pin is not what was signed; nothing of it runs */
  readonly state: 'pinned' | 'waiting' | 'forged'
  /** of `forged`, as a sentence */
  readonly problem: string | null
  readonly definitionsHash: string | null
  readonly pinnedAt: Date | null
  readonly tools: readonly ShownDefinition[]
  /** what it says by now instead, as far as it has been seen; those tools ask */
  readonly changes: { readonly seenAt: Date; readonly tools: readonly ShownChange[] } | null
}

export interface ShownDefinition {
  readonly name: string
  readonly hash: string
  /** what the worker's file says of it */
  readonly approval: 'preApproved' | 'ask' | 'blocked'
  /** every word of the server's, as text: its claim */
  readonly text: string
  /** hidden and look-alike characters in it, as sentences */
  readonly warnings: readonly string[]
}

export interface ShownChange {
  readonly name: string
  readonly change: 'added' | 'changed' | 'removed'
  /** a unified diff of the texts */
  readonly diff: string
}

/** The definitions that the version in force pins, for people to read; each server of each worker. Reads only. */
export async function listDefinitions(ctx: ServiceContext): Promise<readonly ShownServer[]> {
  const policy = await ctx.policies.inForce()
  const activation = await activationOf(ctx, policy.digest)
  const shown: ShownServer[] = []
  for (const { worker, server } of serversOf(policy)) {
    const named = { worker: worker.name, name: server.name, hash: hashOfServer(server) }
    const pin: PinAtHand =
      activation === null ? { state: 'none' } : await readPin(ctx, activation, named)
    shown.push(await shownServer(ctx, worker, server, pin))
  }
  return shown
}

function serversOf({ workers }: Policy) {
  return [...workers.values()].flatMap((worker) =>
    [...worker.mcpServers.values()].map((server) => ({ worker, server })),
  )
}

async function shownServer(
  ctx: ServiceContext,
  worker: WorkerDefinition,
  server: McpServer,
  pin: PinAtHand,
): Promise<ShownServer> {
  const about = { worker: worker.name, server: server.name }
  if (pin.state !== 'pinned') {
    return {
      ...about,
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
    ...about,
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
): Promise<readonly ShownChange[]> {
  const now = JSON.parse(await getText(ctx.db, hash)) as readonly McpDefinition[]
  const names = [...new Set([...pinned, ...now].map((one) => one.name))]
  const changes: ShownChange[] = []
  for (const name of names) {
    const before = pinned.find((one) => one.name === name) ?? null
    const after = now.find((one) => one.name === name) ?? null
    const isSame =
      before !== null && after !== null && hashOfDefinition(before) === hashOfDefinition(after)
    if (isSame) continue
    const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
    changes.push({ name, change, diff: await definitionDifference(before, after) })
  }
  return changes
}
