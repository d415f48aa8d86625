import { limits } from '#domain/limits.ts'
import { startChild, type QueryChild, type RequestOptions } from '../custom/tool-child.ts'
import type { McpAnswers, McpConnection, McpQuery } from './mcp-protocol.ts'

type Child = QueryChild<McpQuery, McpAnswers>

/**
 * One MCP server on this host: processes that are connected to it, each with one query at a time.
 */
export interface McpHost extends AsyncDisposable {
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
  readonly connection: McpConnection
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
}): McpHost {
  const idle: Child[] = []
  const children = new Set<Child>()
  const waiting: (() => void)[] = []
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
    waiting.push(resolve)
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
    })
    children.add(child)
    try {
      const query = { do: 'open', connection: options.connection } as const
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
    waiting.shift()?.()
  }

  return {
    async request(query, requestOptions) {
      const child = await take(requestOptions.signal)
      try {
        return await child.request(query, requestOptions)
      } finally {
        const isGood = child.alive && !child.worn && !closed && idle.length < maxIdle
        if (isGood) idle.push(child)
        else await drop(child)
        if (isGood) waiting.shift()?.()
      }
    },

    async [Symbol.asyncDispose]() {
      closed = true
      await Promise.all([...children].map(drop))
      for (const next of waiting.splice(0)) next()
    },
  }
}
