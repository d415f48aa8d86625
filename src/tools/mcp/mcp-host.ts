import { limits } from '../../domain/limits.ts'
import { startChild, type AskedChild, type AskOptions } from '../custom/tool-child.ts'
import type { McpAnswers, McpConnection, McpQuestion } from './mcp-protocol.ts'

type Child = AskedChild<McpQuestion, McpAnswers>

/** One MCP server as this host reaches it: processes that hold it, one for each question at a time. */
export interface McpHost extends AsyncDisposable {
  ask<Q extends Exclude<McpQuestion, { do: 'open' }>>(
    question: Q,
    options: AskOptions,
  ): Promise<McpAnswers[Q['do']]>
}

/** More questions at once than this wait for one another. */
const mostProcesses = 8
const mostIdle = 2
const openTimeoutMs = 20_000
/** What the host's own process inherits; what a server inherits travels with its connection. */
const inherited = ['PATH', 'NODE_EXTRA_CA_CERTS'] as const

/**
 * Opens a server. Each process has a connection, and of a standard-input server an instance, of its own: one that hangs,
 * floods or dies takes its own question with it. Disposing ends all of them with what they started.
 */
export function openMcpHost(options: {
  readonly connection: McpConnection
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
}): McpHost {
  const idle: Child[] = []
  const all = new Set<Child>()
  const waiting: (() => void)[] = []
  let closed = false

  async function take(signal: AbortSignal | null): Promise<Child> {
    for (;;) {
      signal?.throwIfAborted()
      if (closed) throw new Error('The MCP servers are closed')
      const spare = idle.pop()
      if (spare?.alive === true) return spare
      if (spare !== undefined) await drop(spare)
      else if (all.size < mostProcesses) return start()
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
    const child = startChild<McpQuestion, McpAnswers>({
      main: new URL('process/main.ts', import.meta.url),
      setup: null,
      cwd: options.cwd,
      environment: Object.fromEntries(environment),
      maxAnswerBytes: 4 * limits.storedOutputBytes,
    })
    all.add(child)
    try {
      const question = { do: 'open', connection: options.connection } as const
      await child.ask(question, { timeoutMs: openTimeoutMs, signal: null })
      return child
    } catch (error) {
      await drop(child)
      throw error
    }
  }

  async function drop(child: Child): Promise<void> {
    await child[Symbol.asyncDispose]()
    all.delete(child)
    waiting.shift()?.()
  }

  return {
    async ask(question, askOptions) {
      const child = await take(askOptions.signal)
      try {
        return await child.ask(question, askOptions)
      } finally {
        const isGood = child.alive && !child.worn && !closed && idle.length < mostIdle
        if (isGood) idle.push(child)
        else await drop(child)
        if (isGood) waiting.shift()?.()
      }
    },

    async [Symbol.asyncDispose]() {
      closed = true
      await Promise.all([...all].map(drop))
      for (const next of waiting.splice(0)) next()
    },
  }
}
