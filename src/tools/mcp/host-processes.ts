import { limits } from '#domain/limits.ts'
import { startChild, type QueryChild } from '../custom/query-child.ts'
import type { McpAnswers, McpConnection, McpQuery } from './mcp-protocol.ts'

type McpChild = QueryChild<McpQuery, McpAnswers>

/** How the processes of one server start. */
export interface HostProcessesOptions {
  /** that of the first process */
  readonly connection: McpConnection
  /** that of a later one: the files that its sandbox covers may be others by then */
  readonly connect: () => Promise<McpConnection>
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** gets what a process reports of each message that has ended, calls of tools excepted */
  readonly onEnded: (message: unknown) => void
}

/** More concurrent queries than this wait. */
const maxProcesses = 8
const maxIdle = 2
const openTimeoutMs = 20_000
/** The environment of the host's own process; a server's is part of its connection. */
const inherited = ['PATH', 'NODE_EXTRA_CA_CERTS'] as const

/** The processes that are connected to one server: each query takes one and returns it. */
export class HostProcesses implements AsyncDisposable {
  readonly #options: HostProcessesOptions
  readonly #idle: McpChild[] = []
  /** each with the cover of its sandbox */
  readonly #children = new Map<McpChild, string | null>()
  readonly #waiters: (() => void)[] = []
  #first: McpConnection | null
  #requiredCover: string | null = null
  #isClosed = false

  constructor(options: HostProcessesOptions) {
    this.#options = options
    this.#first = options.connection
  }

  isBusy(): boolean {
    return this.#children.size > this.#idle.length
  }

  /** Ends the idle processes with another cover. A busy one ends when it is given back. */
  async requireCover(cover: string): Promise<void> {
    this.#requiredCover = cover
    const stale = this.#idle.filter((child) => !this.#isCovered(child))
    this.#idle.splice(0, this.#idle.length, ...this.#idle.filter((child) => this.#isCovered(child)))
    await Promise.all(stale.map((child) => this.#drop(child)))
  }

  /** An idle process, a new one, or one of these when another query has given its own back. */
  async take(signal: AbortSignal | null): Promise<McpChild> {
    for (;;) {
      signal?.throwIfAborted()
      if (this.#isClosed) throw new Error('The MCP servers are closed')
      const spare = this.#idle.pop()
      if (spare?.isAlive === true) return spare
      if (spare !== undefined) await this.#drop(spare)
      else if (this.#children.size < maxProcesses) return this.#start()
      else await this.#room(signal)
    }
  }

  async giveBack(child: McpChild): Promise<void> {
    const isUsable = child.isAlive && !child.isExhausted && this.#isCovered(child)
    if (!isUsable || this.#isClosed || this.#idle.length >= maxIdle) return this.#drop(child)
    this.#idle.push(child)
    this.#waiters.shift()?.()
  }

  async #room(signal: AbortSignal | null): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = (): void => resolve()
    this.#waiters.push(resolve)
    signal?.addEventListener('abort', stop, { once: true })
    await promise
    signal?.removeEventListener('abort', stop)
  }

  async #start(): Promise<McpChild> {
    const { connect, cwd, environment, onEnded } = this.#options
    const child = startChild<McpQuery, McpAnswers>({
      main: new URL('process/main.ts', import.meta.url),
      cwd,
      environment: inheritedOf(environment),
      maxAnswerBytes: 4 * limits.storedOutputBytes,
      onEnded,
    })
    this.#children.set(child, null)
    try {
      const connection = this.#first ?? (await connect())
      this.#first = null
      if (connection.type === 'stdio') this.#children.set(child, connection.cover)
      const query = { do: 'open', connection } as const
      await child.request(query, { timeoutMs: openTimeoutMs, signal: null })
      return child
    } catch (error) {
      await this.#drop(child)
      throw error
    }
  }

  #isCovered(child: McpChild): boolean {
    const cover = this.#requiredCover
    return cover === null || this.#children.get(child) === cover
  }

  async #drop(child: McpChild): Promise<void> {
    await child[Symbol.asyncDispose]()
    this.#children.delete(child)
    this.#waiters.shift()?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#children.keys()].map((child) => this.#drop(child)))
    for (const resume of this.#waiters.splice(0)) resume()
  }
}

function inheritedOf(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const pairs = inherited.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}
