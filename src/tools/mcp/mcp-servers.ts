import type { Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { McpServer, WorkerDefinition } from '#policy/worker-definition.ts'
import type { Policy } from '#policy/policy.ts'
import { listWithin } from './list-server.ts'
import type { McpListing } from './mcp-protocol.ts'
import { ServerEntries, type ServerEntriesOptions, type ServerEntry } from './server-entries.ts'
import { offerOf, type OfferOptions } from './server-offer.ts'

/** The definitions of one of a worker's servers, or why it does not answer. */
export interface McpServerListing {
  readonly server: string
  readonly listing: McpListing | null
  readonly problem: string | null
}

/** A worker's tools. A server that does not answer has pinned ones, and a problem. */
export interface McpOffer {
  readonly tools: readonly Tool[]
  /** by server, as sentences: why it, or some of its tools, cannot be used */
  readonly problems: ReadonlyMap<string, readonly string[]>
}

/** Which tools of a worker's servers are needed, and how long a server may take to list them. */
export interface NeededTools {
  /** absent: all of them. A server that has none of these is neither asked nor waited for */
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

/** How long callers wait for a list, whose late answer counts the next time. */
const usualWaitMs = 20_000
/** The same where the server did not answer before, for a call of one of its tools. */
const lateWaitMs = 5000
interface McpServersOptions extends ServerEntriesOptions, OfferOptions {
  /** how long others wait for a server's list; absent: as is usual */
  readonly waitMs?: number
  /** where a worker's zones lie under a policy */
  readonly workspaceOf: (policy: Policy) => Promise<Workspace>
}

/** Opens this host's servers; each is started, or connected to, when a worker first needs it. */
export function openMcpServers(options: McpServersOptions): McpServers {
  const entries = new ServerEntries(options)
  return {
    async toolsOf(policy, worker, needed = {}) {
      entries.closeUnused()
      const servers = serversOf(worker, needed)
      if (servers.length === 0) return { tools: [], problems: new Map() }
      const { worktree } = needed
      const place = { policy, worker, workspace: await options.workspaceOf(policy) }
      const local =
        worktree !== undefined && servers.some(isLocal) ? await worktree() : place.workspace
      const offers = await Promise.all(
        servers.map(async (server) => {
          const workspace = isLocal(server) ? local : place.workspace
          const entry = entries.use(server, { ...place, workspace })
          const open = { server, place: { ...place, workspace }, entry }
          return { server, offer: await offerOf(open, waitOf(entry, needed, options), options) }
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
          const listing = await listWithin(entries.use(server, place), withinMs)
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

function serversOf(worker: WorkerDefinition, { tools }: NeededTools): McpServer[] {
  return [...worker.mcpServers.values()].filter(
    ({ name }) => tools?.some((tool) => tool.startsWith(`mcp__${name}__`)) ?? true,
  )
}

function isLocal({ transport }: McpServer): boolean {
  return transport.type === 'stdio'
}

/** How long a caller waits for a server's list. */
function waitOf(entry: ServerEntry, needed: NeededTools, options: McpServersOptions): number {
  const usualMs = options.waitMs ?? usualWaitMs
  const lateMs = needed.tools === undefined ? 0 : Math.min(lateWaitMs, usualMs)
  return needed.withinMs ?? (entry.isLate ? lateMs : usualMs)
}
