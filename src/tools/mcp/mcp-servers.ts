import { setTimeout as delay } from 'node:timers/promises'
import { hashJson } from '../../domain/digest.ts'
import type { Tool, Workspace } from '../../domain/tool.ts'
import type { McpServer, Policy, WorkerDefinition } from '../../policy/policy.ts'
import { connectionOf, type ServerPlace, type SpawnConfined } from './connection.ts'
import { openMcpHost, type McpHost } from './mcp-host.ts'
import type { McpDefinition, McpListing } from './mcp-protocol.ts'
import { mcpTool } from './mcp-tool.ts'
import type { WatchNames } from './watch-names.ts'
import { hashOfServer, plainTransport } from './server-hash.ts'

/** What an activated version stands for of one server (product.md 25). */
export type Pin =
  | { readonly state: 'pinned'; readonly definitions: readonly McpDefinition[] }
  /** the server has not been heard since */
  | { readonly state: 'none' }
  /** what is stored is not what was signed: nothing of the server may run */
  | { readonly state: 'forged'; readonly problem: string }

/** The pins of activated versions, by worker and server. */
export interface McpPins {
  read(
    policy: Policy,
    server: { readonly worker: string; readonly name: string; readonly hash: string },
    /** what it says now; `null` when it does not answer */
    listing: McpListing | null,
  ): Promise<Pin>
}

/** What one of a worker's servers says of its tools, or why it says nothing. */
export interface McpHeard {
  readonly server: string
  readonly listing: McpListing | null
  readonly problem: string | null
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
  /** What each says of its tools; one that takes longer than `withinMs` is asked on, and heard the next time. */
  listingsOf(
    policy: Policy,
    worker: WorkerDefinition,
    withinMs: number,
  ): Promise<readonly McpHeard[]>
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
  /** absent: nobody looks at what its servers do to files */
  readonly watchNames?: WatchNames
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
      one.failed = messageOf(error)
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
    const serverHash = hashOfServer(server)
    const named = { worker: worker.name, name: server.name, hash: serverHash }
    const listed = await listOf(one).catch(messageOf)
    const listing = typeof listed === 'string' ? null : listed
    const pin = await options.pins.read(policy, named, listing)
    const forged = pin.state === 'forged' ? pin.problem : null
    const pins = pin.state === 'pinned' ? pin.definitions : []
    const problems =
      typeof listed === 'string'
        ? [`The MCP server ${server.name} does not answer: ${listed}`]
        : listed.problems.map((problem) => `The MCP server ${server.name}: ${problem}`)
    const host = await one.host.catch(() => null)
    if (host === null) return { tools: [], problems }
    const isLocal = server.transport.type === 'stdio'
    const watched = isLocal ? (options.watchNames?.(place) ?? null) : null
    const pinned = new Map(pins.map((one) => [one.name, one]))
    const tools: Tool[] = []
    for (const definition of listing?.tools ?? pins) {
      const name = `mcp__${server.name}__${definition.name}`
      if (name.length > nameCharacters) {
        problems.push(`The name ${name} has more than ${nameCharacters} characters.`)
        continue
      }
      const before = pinned.get(definition.name) ?? null
      const about = { name, server: server.name, serverHash, forged }
      tools.push(mcpTool({ ...about, definition, pinned: before, host, watched }))
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

    async listingsOf(policy, worker, withinMs) {
      const place = { policy, worker, workspace: await options.workspaceOf(policy) }
      return Promise.all(
        [...worker.mcpServers.values()].map(async (server): Promise<McpHeard> => {
          const one = holdOf(server, place)
          one.usedAt = Date.now()
          const late = new AbortController()
          const heard = await Promise.race([
            listOf(one).catch(messageOf),
            delay(withinMs, `it has not answered in ${withinMs / 1000} seconds`, {
              signal: late.signal,
            }),
          ])
          late.abort()
          return typeof heard === 'string'
            ? { server: server.name, listing: null, problem: heard }
            : { server: server.name, listing: heard, problem: null }
        }),
      )
    },

    async [Symbol.asyncDispose]() {
      const all = [...held.values()]
      held.clear()
      await Promise.allSettled(all.map(async (one) => (await one.host)[Symbol.asyncDispose]()))
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
