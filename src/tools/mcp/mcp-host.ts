import { isObject } from '#domain/json/is-object.ts'
import { limits } from '#domain/limits.ts'
import { startChild, type QueryChild, type RequestOptions } from '../custom/query-child.ts'
import {
  countedMethods,
  type McpAnswers,
  type McpConnection,
  type McpQuery,
  type SentMessage,
} from './mcp-protocol.ts'

type Child = QueryChild<McpQuery, McpAnswers>

/**
 * One MCP server on this host: processes that are connected to it, each with one query at a time.
 */
export interface McpHost extends AsyncDisposable {
  /** Ends the processes whose sandbox hides and protects something else; the next one is new. */
  requireCover(cover: string): Promise<void>
  /** it carries out a query */
  isBusy(): boolean
  request<Q extends Exclude<McpQuery, { do: 'open' }>>(
    query: Q,
    options: RequestOptions,
  ): Promise<McpAnswers[Q['do']]>
}

/** More concurrent queries than this wait. */
const maxProcesses = 8
const maxIdle = 2
const openTimeoutMs = 20_000
/** The environment of the host's own process; a server's is part of its connection. */
const inherited = ['PATH', 'NODE_EXTRA_CA_CERTS'] as const

/**
 * Opens a server. Each process has a connection of its own, and for standard input a server of its
 * own: one that hangs, floods or dies affects only its own query. Disposing ends all of them and
 * what they started.
 */
export function openMcpHost(options: {
  /** that of the first process */
  readonly connection: McpConnection
  /** that of a later one: the files that its sandbox covers may be others by then */
  readonly connect: () => Promise<McpConnection>
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** gets each message that its processes sent and that has ended, calls of tools excepted */
  readonly onEnded: (message: SentMessage) => void
}): McpHost {
  const idle: Child[] = []
  /** each with the cover of its sandbox */
  const children = new Map<Child, string | null>()
  let first: McpConnection | null = options.connection
  let required: string | null = null
  const waiters: (() => void)[] = []
  let closed = false

  async function take(signal: AbortSignal | null): Promise<Child> {
    for (;;) {
      signal?.throwIfAborted()
      if (closed) throw new Error('The MCP servers are closed')
      const spare = idle.pop()
      if (spare?.alive === true) return spare
      if (spare !== undefined) await drop(spare)
      else if (children.size < maxProcesses) return start()
      else await room(signal)
    }
  }

  async function room(signal: AbortSignal | null): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = (): void => resolve()
    waiters.push(resolve)
    signal?.addEventListener('abort', stop, { once: true })
    await promise
    signal?.removeEventListener('abort', stop)
  }

  async function start(): Promise<Child> {
    const environment = inherited.flatMap((name) => {
      const value = options.environment[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    const child = startChild<McpQuery, McpAnswers>({
      main: new URL('process/main.ts', import.meta.url),
      cwd: options.cwd,
      environment: Object.fromEntries(environment),
      maxAnswerBytes: 4 * limits.storedOutputBytes,
      onEnded: (message) => isSentMessage(message) && options.onEnded(message),
    })
    children.set(child, null)
    try {
      const connection = first ?? (await options.connect())
      first = null
      if (connection.type === 'stdio') children.set(child, connection.cover)
      const query = { do: 'open', connection } as const
      await child.request(query, { timeoutMs: openTimeoutMs, signal: null })
      return child
    } catch (error) {
      await drop(child)
      throw error
    }
  }

  async function drop(child: Child): Promise<void> {
    await child[Symbol.asyncDispose]()
    children.delete(child)
    waiters.shift()?.()
  }

  const isCovered = (child: Child): boolean => required === null || children.get(child) === required

  return {
    async requireCover(cover) {
      required = cover
      const stale = idle.filter((child) => !isCovered(child))
      idle.splice(0, idle.length, ...idle.filter(isCovered))
      await Promise.all(stale.map(drop))
    },

    isBusy: () => children.size > idle.length,

    async request(query, requestOptions) {
      const child = await take(requestOptions.signal)
      try {
        return await child.request(query, requestOptions)
      } finally {
        const isGood =
          child.alive && !child.isExhausted && !closed && isCovered(child) && idle.length < maxIdle
        if (isGood) idle.push(child)
        else await drop(child)
        if (isGood) waiters.shift()?.()
      }
    },

    async [Symbol.asyncDispose]() {
      closed = true
      await Promise.all([...children.keys()].map(drop))
      for (const resume of waiters.splice(0)) resume()
    },
  }
}

/** A process reads a server's answers: what it reports becomes a label only where it is known. */
function isSentMessage(message: unknown): message is SentMessage {
  if (!isObject(message)) return false
  const { durationMs, error, method } = message
  return (
    countedMethods.some((one) => one === method) &&
    typeof durationMs === 'number' &&
    (error === null || (typeof error === 'string' && /^(-\d{5}|_OTHER)$/.test(error)))
  )
}
