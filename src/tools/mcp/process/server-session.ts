import { createMCPClient, type MCPClient } from '@ai-sdk/mcp'
import { errorMessage } from '#domain/error-message.ts'
import type { JsonObject } from '#domain/json/json.ts'
import {
  hashOfDefinition,
  type McpCallResult,
  type McpConnection,
  type McpListing,
  type McpQuery,
  type SentMessage,
} from '../mcp-protocol.ts'
import { failureSentence } from './failure-sentence.ts'
import { readDefinitions } from './read-definitions.ts'
import { readResult } from './read-result.ts'
import { BrokenAnswer, resumingFetch } from './resuming-fetch.ts'
import { StdioTransport } from './stdio-transport.ts'
import { sentBody, tracedMessage } from './traced-message.ts'

/** A package runner may have to fetch its package first. */
const connectTimeoutMs = 60_000
const listTimeoutMs = 15_000
const maxTools = 500
const maxPages = 50
/** The codes of JSON-RPC. Each of a server's own codes would add a value to a metric. */
const knownCodes = new Set([-32700, -32600, -32601, -32602, -32603])
/** The `error.type` of an answer, in OpenTelemetry's words. */
const errorTypes = { output: null, error: 'tool_error', lost: '_OTHER' } as const

interface LiveConnection {
  readonly client: MCPClient
  readonly stdio: StdioTransport | null
  /** rejects when the stream of an answer ended before the answer */
  readonly broken: Promise<never>
}

/** A server that is connected when it is first needed, and again after its connection was lost. */
export class ServerSession {
  readonly #connection: McpConnection
  #live: LiveConnection | null = null
  readonly #onEnded: (message: SentMessage) => void
  /** of the call that is being made */
  #traceparent: string | null = null
  #isCallSent = false

  /** `onEnded` gets each message that was sent and has ended, calls of tools excepted. */
  constructor(connection: McpConnection, onEnded: (message: SentMessage) => void) {
    this.#connection = connection
    this.#onEnded = onEnded
  }

  /**
   * Its whole list. Throws a sentence when it does not answer. An earlier connection may have
   * ended, for instance because its session expired: then the list is requested again over a new
   * one.
   */
  async list(signal: AbortSignal): Promise<McpListing> {
    const session = this.#live
    const live = await this.#connect(signal)
    try {
      return await listOver(live, signal, this.#onEnded)
    } catch (error) {
      const why = await this.#lose(live, error)
      if (live !== session || signal.aborted) throw new Error(why, { cause: error })
      return this.list(signal)
    }
  }

  /** Calls a tool once, if the server's definition is still the approved one. */
  async call(
    { definition, input, tool, traceparent }: Extract<McpQuery, { do: 'call' }>,
    signal: AbortSignal,
  ): Promise<McpCallResult> {
    let listing: McpListing
    try {
      listing = await this.list(signal)
    } catch (error) {
      return { type: 'unreachable', problem: errorMessage(error) }
    }
    const now = listing.tools.find((definition) => definition.name === tool)
    if (now === undefined || hashOfDefinition(now) !== definition) {
      const what =
        now === undefined ? 'has no such tool any more' : 'has another definition of the tool'
      return { type: 'changed', problem: `the server ${what} than when the call was judged` }
    }
    const live = await this.#connect(signal)
    this.#traceparent = traceparent
    this.#isCallSent = false
    const startedAt = performance.now()
    const sent = (error: string | null) => ({ durationMs: performance.now() - startedAt, error })
    try {
      const options = { signal }
      const calling = live.client.callTool({ name: tool, arguments: input, options })
      const result = await Promise.race([calling, live.broken])
      const read = readResult(JSON.parse(JSON.stringify(result)) as JsonObject)
      return { ...read, sent: sent(errorTypes[read.type]) }
    } catch (error) {
      if (isAnswer(error)) {
        const { message } = error
        return {
          type: 'error',
          output: { problem: message },
          text: message,
          sent: sent(errorTypeOf(error)),
        }
      }
      const loss = sent('_OTHER')
      return { type: 'lost', problem: await this.#lose(live, error), sent: loss }
    } finally {
      this.#traceparent = null
    }
  }

  async #connect(signal: AbortSignal): Promise<LiveConnection> {
    if (this.#live !== null && this.#live.stdio?.ended == null) return this.#live
    this.#live = null
    const connection = this.#connection
    const handshake = new Handshake(this.#onEnded)
    const send = (message: object): object => this.#send(message, handshake)
    const stdio = connection.type === 'stdio' ? new StdioTransport(connection, send) : null
    const http = connection.type === 'http' ? connection : null
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => undefined)
    try {
      const connecting = createMCPClient({
        transport: stdio ?? {
          type: 'http',
          url: http?.url ?? '',
          headers: { ...http?.headers },
          redirect: 'error',
          fetch: (address, init) => resumingFetch(address, sentBody(init, send)),
        },
        clientName: 'countersign',
        maxRetries: 0,
        initializationOptions: { signal, timeout: connectTimeoutMs },
        // For notifications, for instance of a changed list: the list is read again before each
        // call.
        onUncaughtError: (error) => {
          if (error instanceof BrokenAnswer) broken.reject(error)
        },
      })
      const client = await Promise.race([connecting, broken.promise])
      this.#live = { client, stdio, broken: broken.promise }
      handshake.end(null)
      return this.#live
    } catch (error) {
      handshake.end(errorTypeOf(error))
      throw new Error(failureSentence(error, stdio?.ended ?? null), { cause: error })
    }
  }

  /**
   * A message as it is sent. Throws if the server asked for the same call again, which the protocol
   * allows (`input_required` without a question), because an approved call is sent once.
   */
  #send(message: object, handshake: Handshake): object {
    const method = 'method' in message ? message.method : null
    if (method === 'tools/call') {
      if (this.#isCallSent) throw new Error('it asked for the call again')
      this.#isCallSent = true
    }
    if (method === 'initialize' || method === 'server/discover') handshake.begin(method)
    return tracedMessage(message, this.#traceparent)
  }

  /**
   * After an error that is not an answer, the state of the connection is unknown: the next query
   * makes a new one.
   */
  async #lose(live: LiveConnection, error: unknown): Promise<string> {
    const why = failureSentence(error, live.stdio?.ended ?? null)
    this.#live = null
    await live.client.close().catch(() => undefined)
    return why
  }
}

/** The messages that open a connection, one after the other. */
class Handshake {
  readonly #onEnded: (message: SentMessage) => void
  #sent: { readonly method: SentMessage['method']; readonly at: number } | null = null

  constructor(onEnded: (message: SentMessage) => void) {
    this.#onEnded = onEnded
  }

  /** Ends the message before it, which failed: the server does not support its revision. */
  begin(method: SentMessage['method']): void {
    this.end('_OTHER')
    this.#sent = { method, at: performance.now() }
  }

  end(error: string | null): void {
    if (this.#sent === null) return
    const { at, method } = this.#sent
    this.#sent = null
    this.#onEnded({ method, durationMs: performance.now() - at, error })
  }
}

async function listOver(
  live: LiveConnection,
  signal: AbortSignal,
  onEnded: (message: SentMessage) => void,
): Promise<McpListing> {
  const allTools: object[] = []
  let cursor: string | undefined
  for (let page = 1; ; page += 1) {
    const startedAt = performance.now()
    const report = (error: string | null): void =>
      onEnded({ method: 'tools/list', durationMs: performance.now() - startedAt, error })
    const answer = await Promise.race([
      live.client.listTools({
        ...(cursor === undefined ? {} : { params: { cursor } }),
        options: { signal, timeout: listTimeoutMs },
      }),
      live.broken,
    ]).catch((error: unknown) => {
      report(errorTypeOf(error))
      throw error
    })
    report(null)
    cursor = answer.nextCursor
    const hasTooManyPages = cursor !== undefined && page === maxPages
    if (hasTooManyPages || allTools.length + answer.tools.length > maxTools) {
      throw new Error(`it lists more than ${maxTools} tools or ${maxPages} pages`)
    }
    allTools.push(...answer.tools)
    if (cursor === undefined) break
  }
  return readDefinitions(allTools)
}

/** The `error.type` of a message without a result. */
function errorTypeOf(error: unknown): string {
  return isAnswer(error) && knownCodes.has(error.code) ? String(error.code) : '_OTHER'
}

/** The server itself refused, by the protocol: the call was answered. */
function isAnswer(error: unknown): error is Error & { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
}
