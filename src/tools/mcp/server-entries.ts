import { hashJson } from '#domain/json/digest.ts'
import type { McpServer } from '#policy/worker-definition.ts'
import { connectionOf, type ServerPlace, type SpawnConfined } from './connection.ts'
import { openMcpHost, type McpHost } from './mcp-host.ts'
import type { McpListing, SentMessage } from './mcp-protocol.ts'
import type { EndedServerMessage } from './mcp-tool.ts'
import { plainTransport } from './server-hash.ts'

/** Longer than any call: a server that was unused for this time carries out no call. */
const usualUnusedMs = 30 * 60_000
/** How often unused servers are ended. */
const lookEveryMs = 60_000
/** How many servers may work in the worktrees of this host at once. */
const usualMaxInWorktrees = 32
/** A server that was unused for this time ends where another worktree needs one. */
const usualReplaceableMs = 60_000

/** A server that this host has started, or is connected to, and its last list. */
export interface ServerEntry {
  /** the worktree that it works in; `null`: it works in a workspace's folder */
  readonly worktree: string | null
  readonly host: Promise<McpHost>
  /** it starts, or carries out a query */
  isBusy: () => boolean
  usedAt: number
  listing: Promise<McpListing> | null
  /** the list is being requested: everybody who needs it waits for the same answer */
  asking: boolean
  listedAt: number
  failed: string | null
  /** it failed, or took longer than somebody waited: a list of all tools does not wait for it */
  isLate: boolean
}

export interface ServerEntriesOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly spawnConfined: SpawnConfined
  /** gets each message to a server, once it has ended; absent: nobody counts them */
  readonly onMessageEnded?: ((message: EndedServerMessage) => void) | undefined
  /** an unused server ends after this time; absent: after 30 minutes */
  readonly unusedMs?: number
  /** how many servers may work in worktrees at once; absent: 32 */
  readonly maxInWorktrees?: number
  /** how long one must be unused before it may end for another; absent: a minute */
  readonly replaceableMs?: number
}

/**
 * The servers of this host that are open, one for each worker, folder and configuration. Unused
 * ones end by themselves, and those in worktrees are bounded in number.
 */
export class ServerEntries implements AsyncDisposable {
  readonly #options: ServerEntriesOptions
  readonly #entries = new Map<string, ServerEntry>()
  readonly #rounds = setInterval(() => this.closeUnused(), lookEveryMs).unref()

  constructor(options: ServerEntriesOptions) {
    this.#options = options
  }

  /** The server of a place, which is started where it is not open. It counts as used now. */
  use(server: McpServer, place: ServerPlace): ServerEntry {
    const { worker } = place
    const { root } = place.workspace
    const zones = worker.zones.map((zone) => ({ root: zone.root, mode: zone.mode }))
    const { name, sandbox } = worker
    const programs = (place.policy.files.serverFiles ?? []).map((file) => ({ ...file }))
    const key = hashJson({ name, server: plainTransport(server), sandbox, zones, root, programs })
    const existing = this.#entries.get(key)
    if (existing !== undefined) {
      existing.usedAt = performance.now()
      return existing
    }
    const worktree = place.workspace.worktree === undefined ? null : root
    const problem = worktree === null ? null : this.#makeRoom()
    const { environment, onMessageEnded } = this.#options
    const transport = server.transport.type === 'http' ? 'tcp' : 'pipe'
    const onEnded = (message: SentMessage): void =>
      onMessageEnded?.({ ...message, tool: null, transport })
    const connect = () => connectionOf(server, place, this.#options)
    const host =
      problem === null
        ? connect().then((connection) =>
            openMcpHost({ connection, connect, cwd: root, environment, onEnded }),
          )
        : Promise.reject<McpHost>(new Error(problem))
    const entry: ServerEntry = {
      worktree,
      host,
      isBusy: () => true,
      usedAt: performance.now(),
      listing: null,
      asking: false,
      listedAt: 0,
      failed: null,
      isLate: false,
    }
    if (problem === null) this.#entries.set(key, entry)
    host.then(
      (server) => void (entry.isBusy = () => server.isBusy()),
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    )
    return entry
  }

  /** Why no further server may work in a worktree; an unused one first ends to make room. */
  #makeRoom(): string | null {
    const maxServers = this.#options.maxInWorktrees ?? usualMaxInWorktrees
    const inWorktrees = [...this.#entries].filter(([, { worktree }]) => worktree !== null)
    if (inWorktrees.length < maxServers) return null
    const since = performance.now() - (this.#options.replaceableMs ?? usualReplaceableMs)
    const [oldest] = inWorktrees
      .filter(([, { usedAt, isBusy }]) => usedAt <= since && !isBusy())
      .toSorted(([, one], [, other]) => one.usedAt - other.usedAt)
    if (oldest === undefined) {
      return `at most ${maxServers} MCP servers may work in the worktrees of this host at once, and all of them are in use`
    }
    void this.#end(oldest)
    return null
  }

  async #end([key, entry]: readonly [string, ServerEntry]): Promise<void> {
    this.#entries.delete(key)
    await entry.host.then((host) => host[Symbol.asyncDispose]()).catch(() => undefined)
  }

  /** Ends the servers that nobody has used for long. */
  closeUnused(): void {
    const unusedMs = this.#options.unusedMs ?? usualUnusedMs
    for (const named of this.#entries) {
      const { usedAt, isBusy } = named[1]
      if (performance.now() - usedAt >= unusedMs && !isBusy()) void this.#end(named)
    }
  }

  /** Ends the servers that work in a worktree. */
  async endIn(root: string): Promise<void> {
    const inside = [...this.#entries].filter(([, { worktree }]) => worktree === root)
    await Promise.all(inside.map((named) => this.#end(named)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#rounds)
    await Promise.all([...this.#entries].map((named) => this.#end(named)))
  }
}
