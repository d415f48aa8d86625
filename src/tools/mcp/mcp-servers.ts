import type { Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { McpServer, WorkerDefinition } from '#policy/worker-definition.ts'
import type { Policy } from '#policy/policy.ts'
import type { ServerPlace, WatchNames } from './connection.ts'
import { listWithin } from './list-server.ts'
import type { McpDefinition, McpListing } from './mcp-protocol.ts'
import { mcpTool } from './mcp-tool.ts'
import { ServerEntries, type ServerEntriesOptions } from './server-entries.ts'
import { hashOfServer } from './server-hash.ts'

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
  /** absent: the usual time, or a shorter one where a server did not answer before */
  readonly withinMs?: number
  /**
   * Opens the worktree in which the servers on standard input work; absent: they work in the
   * workspace's folder.
   */
  readonly worktree?: (() => Promise<Workspace>) | undefined
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
  /** Ends the servers that work in a worktree, with the calls that they carry out. */
  endIn(root: string): Promise<void>
}

/**
 * How long callers wait for a list. The request for it continues, and its answer counts the next
 * time.
 */
const usualWaitMs = 20_000
/** The same where the server did not answer before, for a call of one of its tools. */
const lateWaitMs = 5000
/** The longest name that providers of models accept. */
const nameCharacters = 64

/** Opens this host's servers; each is started, or connected to, when a worker first needs it. */
export function openMcpServers(
  options: ServerEntriesOptions & {
    /** absent: its servers' effects on files are not watched */
    readonly watchNames?: WatchNames
    readonly pins: McpPins
    /** how long others wait for a server's list; absent: as is usual */
    readonly waitMs?: number
    /** where a worker's zones lie under a policy */
    readonly workspaceOf: (policy: Policy) => Promise<Workspace>
  },
): McpServers {
  const entries = new ServerEntries(options)

  async function offerOf(
    server: McpServer,
    place: ServerPlace,
    needed: NeededTools,
  ): Promise<{ tools: Tool[]; problems: string[] }> {
    const { policy, worker } = place
    const entry = entries.use(server, place)
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
    const { onMessageEnded } = options
    const { transport } = server
    const isLocal = transport.type === 'stdio'
    const watched = isLocal ? (options.watchNames?.(place, transport.args) ?? null) : null
    const pinned = new Map(pins.map((definition) => [definition.name, definition]))
    const tools: Tool[] = []
    for (const definition of listing?.tools ?? pins) {
      const name = `mcp__${server.name}__${definition.name}`
      if (name.length > nameCharacters) {
        problems.push(`The name ${name} has more than ${nameCharacters} characters.`)
        continue
      }
      tools.push(
        mcpTool({
          name,
          server: server.name,
          serverHash,
          forged,
          host,
          // The earlier list is no longer used.
          onChanged: () => void (entry.listing = null),
          onMessageEnded,
          watched,
          definition,
          pinned: pinned.get(definition.name) ?? null,
          transport: isLocal ? 'pipe' : 'tcp',
        }),
      )
    }
    return { tools, problems }
  }

  return {
    async toolsOf(policy, worker, needed = {}) {
      entries.closeUnused()
      const { tools, worktree } = needed
      const servers = [...worker.mcpServers.values()].filter(
        ({ name }) => tools?.some((tool) => tool.startsWith(`mcp__${name}__`)) ?? true,
      )
      if (servers.length === 0) return { tools: [], problems: new Map() }
      const place = { policy, worker, workspace: await options.workspaceOf(policy) }
      const isLocal = servers.some(({ transport }) => transport.type === 'stdio')
      const local = isLocal && worktree !== undefined ? await worktree() : place.workspace
      const offers = await Promise.all(
        servers.map(async (server) => {
          const workspace = server.transport.type === 'stdio' ? local : place.workspace
          return { server, offer: await offerOf(server, { ...place, workspace }, needed) }
        }),
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
          const entry = entries.use(server, place)
          const listing = await listWithin(entry, withinMs)
          return typeof listing === 'string'
            ? { server: server.name, listing: null, problem: listing }
            : { server: server.name, listing, problem: null }
        }),
      )
    },

    endIn: (root) => entries.endIn(root),
    [Symbol.asyncDispose]: () => entries[Symbol.asyncDispose](),
  }
}
