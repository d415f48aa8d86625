/** A message of the protocol, as far as passing it on needs it. */
export type Message = Readonly<Record<string, unknown>>

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** What the revision of 2026-07-28 repeats of a message in `Mcp-Name`, by method. */
const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** Parses one; `null`: it is none. */
export function parseMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** The id of a request, as a key; `null`: the message wants no answer. */
export function idOf({ id, method }: Message): string | null {
  return id === undefined || typeof method !== 'string' ? null : JSON.stringify(id)
}

/** The id of the request that the message cancels. */
export function isCancelled({ method, params }: Message): string | null {
  if (method !== 'notifications/cancelled' || !isRecord(params)) return null
  return JSON.stringify(params['requestId'])
}

/** The headers that go with a message over HTTP. */
export function headersOf({ method, params }: Message): Record<string, string> {
  const meta = isRecord(params) && isRecord(params['_meta']) ? params['_meta'] : {}
  const version = meta[versionKey]
  if (typeof version !== 'string' || typeof method !== 'string') return {}
  const field = Object.hasOwn(namedBy, method) ? namedBy[method] : undefined
  const name = field === undefined || !isRecord(params) ? undefined : params[field]
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}

function isRecord(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
