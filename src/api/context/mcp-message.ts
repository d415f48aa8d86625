import {
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  TRACEPARENT_META_KEY,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** A request of the Model Context Protocol and how its answer ended, for traces. */
export interface McpMessage {
  readonly method: string
  /** the tool that is called; null: none, or none that the server has */
  readonly tool: string | null
  /** null: an older client, which says it once, in `initialize` */
  readonly protocolVersion: string | null
  /** the client's place in a trace; null: the message names none */
  readonly traceparent: string | null
  /**
   * the `error.type` of OpenTelemetry: the code of an error of JSON-RPC, `tool_error` for a result
   * that says so, or `cancelled` until it is answered; null: it succeeded
   */
  readonly error: string | null
}

type Fields = Readonly<Record<string, unknown>>

/** A message that has arrived. */
export function mcpMessage(method: string, { mcpReq }: ServerContext): McpMessage {
  const meta: Fields = mcpReq._meta ?? {}
  const envelope: Fields = mcpReq.envelope ?? {}
  return {
    method,
    tool: null,
    protocolVersion: textIn(envelope[PROTOCOL_VERSION_META_KEY], /^[\d-]{10}$/),
    traceparent: textIn(meta[TRACEPARENT_META_KEY], /^[\da-f-]{55}$/),
    error: 'cancelled',
  }
}

/** The `error.type` of a message that was answered with a result. */
export function errorOfResult(result: Fields): string | null {
  return result['isError'] === true ? 'tool_error' : null
}

/** The `error.type` of a message that was answered with an error. */
export function errorOfFailure(error: unknown): string {
  return String(error instanceof ProtocolError ? error.code : ProtocolErrorCode.InternalError)
}

function textIn(value: unknown, form: RegExp): string | null {
  return typeof value === 'string' && form.test(value) ? value : null
}
