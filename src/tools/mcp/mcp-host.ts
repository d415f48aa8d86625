import { isObject } from '#domain/json/is-object.ts'
import type { RequestOptions } from '../custom/query-child.ts'
import { HostProcesses, type HostProcessesOptions } from './host-processes.ts'
import { countedMethods, type McpAnswers, type McpQuery, type SentMessage } from './mcp-protocol.ts'

/** An MCP server on this host: processes connected to it, each with one query at a time. */
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

/**
 * Opens a server. Each process has its own connection, and for standard input its own server. A
 * server that hangs, floods or dies affects only its own query. Disposing ends all of them and what
 * they started.
 */
export function openMcpHost({
  onEnded,
  ...options
}: Omit<HostProcessesOptions, 'onEnded'> & {
  /** gets each message that its processes sent and that has ended, calls of tools excepted */
  readonly onEnded: (message: SentMessage) => void
}): McpHost {
  const processes = new HostProcesses({
    ...options,
    onEnded: (message) => isSentMessage(message) && onEnded(message),
  })
  return {
    requireCover: (cover) => processes.requireCover(cover),
    isBusy: () => processes.isBusy(),
    async request(query, requestOptions) {
      const child = await processes.take(requestOptions.signal)
      try {
        return await child.request(query, requestOptions)
      } finally {
        await processes.giveBack(child)
      }
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
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
