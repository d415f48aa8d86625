import { hashJson } from '../../domain/digest.ts'
import type { Tool, Workspace } from '../../domain/tool.ts'
import type { McpServer, Policy, WorkerDefinition } from '../../policy/policy.ts'
import { connectionOf, type ServerPlace, type SpawnConfined } from './connection.ts'
import { hashOfDefinition } from './definition-hash.ts'
import { openMcpHost, type McpHost } from './mcp-host.ts'
import type { McpDefinition, McpListing } from './mcp-protocol.ts'
import { mcpTool } from './mcp-tool.ts'

/** The definitions that an activated version stands for, by worker and server. */
export interface McpPins {
  /** What was pinned, or is now: the first listing after an activation. `null`: the version was never activated here. */
  pin(
    policy: Policy,
    server: { readonly worker: string; readonly name: string; readonly hash: string },
    /** `null` when the server does not answer: then only what was pinned before */
    listing: McpListing | null,
  ): Promise<readonly McpDefinition[] | null>
}

/** What a worker's servers offer. A server that does not answer offers what was pinned, and is in `problems`. */
export interface McpOffer {
  readonly tools: readonly Tool[]
  /** by server, as sentences: why it, or some of its tools, cannot be used */
  readonly problems: ReadonlyMap<string, readonly string[]>
}

/** The MCP servers of this host's workers. */
export interface McpServers extends AsyncDisposable {
  toolsOf(policy: Policy, worker: WorkerDefinition): Promise<McpOffer>
}

const listTimeoutMs = 90_000
/** So long a list is believed without asking again; every call asks once more before it is made. */
const believedMs = 3000
/** A server that did not answer is left alone for so long. */
const leftAloneMs = 10_000
/** Longer than any call: whom nobody has asked for so long is in nobody's hands. */
const unusedMs = 30 * 60_000
/** Providers of models take no longer names. */
const nameCharacters = 64

interface Held {
  readonly host: Promise<McpHost>
  usedAt: number
  listing: Promise<McpListing> | null
  /** the list has been asked for and not answered yet: whoever else wants it waits for the same answer */
  asking: boolean
  listedAt: number
  failed: string | null
}

/** Opens this host's servers; each is started, or connected to, when a worker first needs it. */
export function openMcpServers(options: {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly spawnConfined: SpawnConfined
  readonly pins: McpPins
  /** where a worker's zones lie under a policy */
  readonly workspaceOf: (policy: Policy) => Promise<Workspace>
}): McpServers {
  const held = new Map<string, Held>()

  function holdOf(server: McpServer, place: ServerPlace): Held {
    const { worker } = place
    const { root } = place.workspace
    const zones = worker.zones.map((zone) => ({ root: zone.root, mode: zone.mode }))
    const { name, sandbox } = worker
    const key = hashJson({ name, server: plainTransport(server), sandbox, zones, root })
    const found = held.get(key)
    if (found !== undefined) return found
    const { environment, spawnConfined } = options
    const host = connectionOf(server, place, { environment, spawnConfined }).then((connection) =>
      openMcpHost({ connection, cwd: root, environment }),
    )
    host.catch(() => held.delete(key))
    const made: Held = { host, usedAt: 0, listing: null, asking: false, listedAt: 0, failed: null }
    held.set(key, made)
    return made
  }

  async function listOf(one: Held): Promise<McpListing> {
    const age = Date.now() - one.listedAt
    if (one.failed !== null && age < leftAloneMs) throw new Error(one.failed)
    if (one.listing !== null && (one.asking || age < believedMs)) return one.listing
    one.asking = true
    one.failed = null
    const listing = one.host.then((host) =>
      host.ask({ do: 'list' }, { timeoutMs: listTimeoutMs, signal: null }),
    )
    one.listing = listing
    try {
      const listed = await listing
      one.listedAt = Date.now()
      return listed
    } catch (error) {
      one.listing = null
      one.listedAt = Date.now()
      one.failed = error instanceof Error ? error.message : String(error)
      throw error
    } finally {
      one.asking = false
    }
  }

  async function letGo(): Promise<void> {
    for (const [key, one] of held) {
      if (Date.now() - one.usedAt < unusedMs) continue
      held.delete(key)
      void one.host.then((host) => host[Symbol.asyncDispose]()).catch(() => undefined)
    }
  }

  async function offerOf(
    server: McpServer,
    place: ServerPlace,
  ): Promise<{ tools: Tool[]; problems: string[] }> {
    const { policy, worker } = place
    const one = holdOf(server, place)
    one.usedAt = Date.now()
    const serverHash = hashJson(plainTransport(server))
    const named = { worker: worker.name, name: server.name, hash: serverHash }
    const listed = await listOf(one).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    )
    const listing = typeof listed === 'string' ? null : listed
    const pins = await options.pins.pin(policy, named, listing)
    const problems =
      typeof listed === 'string'
        ? [`The MCP server ${server.name} does not answer: ${listed}`]
        : listed.problems.map((problem) => `The MCP server ${server.name}: ${problem}`)
    const host = await one.host.catch(() => null)
    if (host === null) return { tools: [], problems }
    const pinned = new Map((pins ?? []).map((pin) => [pin.name, hashOfDefinition(pin)]))
    const tools: Tool[] = []
    for (const definition of listing?.tools ?? pins ?? []) {
      const name = `mcp__${server.name}__${definition.name}`
      if (name.length > nameCharacters) {
        problems.push(`The name ${name} has more than ${nameCharacters} characters.`)
        continue
      }
      const pin = pinned.get(definition.name) ?? null
      tools.push(mcpTool({ name, server: server.name, serverHash, definition, pinned: pin, host }))
    }
    return { tools, problems }
  }

  return {
    async toolsOf(policy, worker) {
      await letGo()
      if (worker.mcpServers.size === 0) return { tools: [], problems: new Map() }
      const place = { policy, worker, workspace: await options.workspaceOf(policy) }
      const offers = await Promise.all(
        [...worker.mcpServers.values()].map(async (server) => ({
          server,
          offer: await offerOf(server, place),
        })),
      )
      return {
        tools: offers.flatMap(({ offer }) => offer.tools),
        problems: new Map(offers.map(({ server, offer }) => [server.name, offer.problems])),
      }
    },

    async [Symbol.asyncDispose]() {
      const all = [...held.values()]
      held.clear()
      await Promise.allSettled(all.map(async (one) => (await one.host)[Symbol.asyncDispose]()))
    },
  }
}

/** How a server is reached, as the worker's file says it: references to secrets, never the secrets. */
function plainTransport({ transport }: McpServer) {
  return transport.type === 'http'
    ? { type: 'http', url: transport.url, headers: { ...transport.headers } }
    : {
        type: 'stdio',
        command: transport.command,
        args: [...transport.args],
        env: { ...transport.env },
      }
}
