import { setTimeout as delay } from 'node:timers/promises'
import { hashJson } from '#domain/json/digest.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { McpServer, WorkerDefinition } from '#policy/worker-definition.ts'
import type { Policy } from '#policy/policy.ts'
import { connectionOf, type ServerPlace, type SpawnConfined } from './connection.ts'
import { openMcpHost, type McpHost } from './mcp-host.ts'
import type { McpDefinition, McpListing } from './mcp-protocol.ts'
import { mcpTool } from './mcp-tool.ts'
import type { WatchNames } from './watch-names.ts'
import { hashOfServer, plainTransport } from './server-hash.ts'

/** A server's pinned definitions in an activated version (product.md 25). */
export type Pin =
  | { readonly state: 'pinned'; readonly definitions: readonly McpDefinition[] }
  /** the server has not answered since the activation */
  | { readonly state: 'none' }
  /** the stored definitions are not the signed ones: nothing of the server may run */
  | { readonly state: 'forged'; readonly problem: string }

/** The pins of activated versions, by worker and server. */
export interface McpPins {
  read(
    policy: Policy,
    server: { readonly worker: string; readonly name: string; readonly hash: string },
    /** its present definitions; `null`: it does not answer */
    listing: McpListing | null,
  ): Promise<Pin>
}

/** The definitions of one of a worker's servers, or why it does not answer. */
export interface McpServerListing {
  readonly server: string
  readonly listing: McpListing | null
  readonly problem: string | null
}

/**
 * The tools of a worker's servers. A server that does not answer has its pinned ones, and is in
 * `problems`.
 */
export interface McpOffer {
  readonly tools: readonly Tool[]
  /** by server, as sentences: why it, or some of its tools, cannot be used */
  readonly problems: ReadonlyMap<string, readonly string[]>
}

/** Which tools of a worker's servers are needed, and how long a server may take to list them. */
export interface NeededTools {
  /** absent: all of them. A server that has none of these is not waited for, nor asked */
  readonly tools?: readonly string[] | undefined
  /** absent: as is usual, and hardly at all where a server did not answer before */
  readonly withinMs?: number
}

/** The MCP servers of this host's workers. */
export interface McpServers extends AsyncDisposable {
  toolsOf(policy: Policy, worker: WorkerDefinition, needed?: NeededTools): Promise<McpOffer>
  /**
   * The definitions of each server. One that takes longer than `withinMs` continues; its answer
   * counts the next time.
   */
  listingsOf(
    policy: Policy,
    worker: WorkerDefinition,
    withinMs: number,
  ): Promise<readonly McpServerListing[]>
}

const listTimeoutMs = 90_000
/** How long others wait for a list, which goes on: its answer counts the next time. */
const usualWaitMs = 20_000
/** The same where the server did not answer before, for a call of one of its tools. */
const lateWaitMs = 5000
/** How long a list is used again; every call fetches the list once more before it is made. */
const freshMs = 3000
/** The pause before a server that did not answer is tried again. */
const retryAfterMs = 10_000
/** Longer than any call: a server that was unused for this time is in no call. */
const unusedMs = 30 * 60_000
/** The longest name that providers of models accept. */
const nameCharacters = 64

interface ServerEntry {
  readonly host: Promise<McpHost>
  usedAt: number
  listing: Promise<McpListing> | null
  /** the list is being requested: everybody who needs it waits for the same answer */
  asking: boolean
  listedAt: number
  failed: string | null
  /** it failed, or took longer than somebody waited: a list of all tools does not wait for it */
  isLate: boolean
}

/** Opens this host's servers; each is started, or connected to, when a worker first needs it. */
export function openMcpServers(options: {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly spawnConfined: SpawnConfined
  /** absent: its servers' effects on files are not watched */
  readonly watchNames?: WatchNames
  readonly pins: McpPins
  /** how long others wait for a server's list; absent: as is usual */
  readonly waitMs?: number
  /** where a worker's zones lie under a policy */
  readonly workspaceOf: (policy: Policy) => Promise<Workspace>
}): McpServers {
  const entries = new Map<string, ServerEntry>()

  function entryOf(server: McpServer, place: ServerPlace): ServerEntry {
    const { worker } = place
    const { root } = place.workspace
    const zones = worker.zones.map((zone) => ({ root: zone.root, mode: zone.mode }))
    const { name, sandbox } = worker
    const key = hashJson({ name, server: plainTransport(server), sandbox, zones, root })
    const existing = entries.get(key)
    if (existing !== undefined) return existing
    const { environment, spawnConfined } = options
    const host = connectionOf(server, place, { environment, spawnConfined }).then((connection) =>
      openMcpHost({ connection, cwd: root, environment }),
    )
    host.catch(() => entries.delete(key))
    const entry: ServerEntry = {
      host,
      usedAt: 0,
      listing: null,
      asking: false,
      listedAt: 0,
      failed: null,
      isLate: false,
    }
    entries.set(key, entry)
    return entry
  }

  async function listOf(entry: ServerEntry): Promise<McpListing> {
    const age = performance.now() - entry.listedAt
    if (entry.failed !== null && age < retryAfterMs) throw new Error(entry.failed)
    if (entry.listing !== null && (entry.asking || age < freshMs)) return entry.listing
    entry.asking = true
    entry.failed = null
    const listing = entry.host.then((host) =>
      host.request({ do: 'list' }, { timeoutMs: listTimeoutMs, signal: null }),
    )
    entry.listing = listing
    try {
      const answer = await listing
      entry.listedAt = performance.now()
      entry.isLate = false
      return answer
    } catch (error) {
      entry.listing = null
      entry.listedAt = performance.now()
      entry.failed = messageOf(error)
      entry.isLate = true
      throw error
    } finally {
      entry.asking = false
    }
  }

  /** The list, or why there is none in this time; a request for it goes on. */
  async function listWithin(entry: ServerEntry, withinMs: number): Promise<McpListing | string> {
    const timeout = new AbortController()
    const late = delay(withinMs, null, { signal: timeout.signal })
    const listing = await Promise.race([listOf(entry).catch(messageOf), late])
    timeout.abort()
    if (listing !== null) return listing
    entry.isLate = true
    return entry.failed ?? `it did not answer within ${withinMs / 1000} seconds`
  }

  async function closeUnused(): Promise<void> {
    for (const [key, entry] of entries) {
      if (performance.now() - entry.usedAt < unusedMs) continue
      entries.delete(key)
      void entry.host.then((host) => host[Symbol.asyncDispose]()).catch(() => undefined)
    }
  }

  async function offerOf(
    server: McpServer,
    place: ServerPlace,
    needed: NeededTools,
  ): Promise<{ tools: Tool[]; problems: string[] }> {
    const { policy, worker } = place
    const entry = entryOf(server, place)
    entry.usedAt = performance.now()
    const serverHash = hashOfServer(server)
    const reference = { worker: worker.name, name: server.name, hash: serverHash }
    const lateMs = needed.tools === undefined ? 0 : lateWaitMs
    const usualMs = options.waitMs ?? usualWaitMs
    const withinMs = needed.withinMs ?? (entry.isLate ? Math.min(lateMs, usualMs) : usualMs)
    const answer = await listWithin(entry, withinMs)
    const listing = typeof answer === 'string' ? null : answer
    const pin = await options.pins.read(policy, reference, listing)
    const forged = pin.state === 'forged' ? pin.problem : null
    const pins = pin.state === 'pinned' ? pin.definitions : []
    const problems =
      typeof answer === 'string'
        ? [
            `The MCP server ${server.name} does not answer: ${answer}. Go on without its tools, or call one again later.`,
          ]
        : answer.problems.map((problem) => `The MCP server ${server.name}: ${problem}`)
    const host = await entry.host.catch(() => null)
    if (host === null) return { tools: [], problems }
    const isLocal = server.transport.type === 'stdio'
    const watched = isLocal ? (options.watchNames?.(place) ?? null) : null
    const pinned = new Map(pins.map((definition) => [definition.name, definition]))
    const tools: Tool[] = []
    for (const definition of listing?.tools ?? pins) {
      const name = `mcp__${server.name}__${definition.name}`
      if (name.length > nameCharacters) {
        problems.push(`The name ${name} has more than ${nameCharacters} characters.`)
        continue
      }
      const before = pinned.get(definition.name) ?? null
      const about = { name, server: server.name, serverHash, forged }
      // The earlier list is no longer used.
      const onChanged = (): void => void (entry.listing = null)
      tools.push(mcpTool({ ...about, definition, pinned: before, host, onChanged, watched }))
    }
    return { tools, problems }
  }

  return {
    async toolsOf(policy, worker, needed = {}) {
      await closeUnused()
      const { tools } = needed
      const servers = [...worker.mcpServers.values()].filter(
        ({ name }) => tools?.some((tool) => tool.startsWith(`mcp__${name}__`)) ?? true,
      )
      if (servers.length === 0) return { tools: [], problems: new Map() }
      const place = { policy, worker, workspace: await options.workspaceOf(policy) }
      const offers = await Promise.all(
        servers.map(async (server) => ({ server, offer: await offerOf(server, place, needed) })),
      )
      return {
        tools: offers.flatMap(({ offer }) => offer.tools),
        problems: new Map(offers.map(({ server, offer }) => [server.name, offer.problems])),
      }
    },

    async listingsOf(policy, worker, withinMs) {
      const place = { policy, worker, workspace: await options.workspaceOf(policy) }
      return Promise.all(
        [...worker.mcpServers.values()].map(async (server): Promise<McpServerListing> => {
          const entry = entryOf(server, place)
          entry.usedAt = performance.now()
          const listing = await listWithin(entry, withinMs)
          return typeof listing === 'string'
            ? { server: server.name, listing: null, problem: listing }
            : { server: server.name, listing, problem: null }
        }),
      )
    },

    async [Symbol.asyncDispose]() {
      const open = [...entries.values()]
      entries.clear()
      await Promise.allSettled(open.map(async (entry) => (await entry.host)[Symbol.asyncDispose]()))
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
