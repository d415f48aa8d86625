import { isObject } from '#domain/json/is-object.ts'

/** A message of the Model Context Protocol. */
export type Message = Readonly<Record<string, unknown>>

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** The field of a method's parameters that the header `Mcp-Name` repeats (revision 2026-07-28). */
const nameFields: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** Parses a message; `null`: the text is not one. */
export function parseMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The id of a request, as a key; `null`: the message wants no answer. */
export function idOf({ id, method }: Message): string | null {
  return id === undefined || typeof method !== 'string' ? null : JSON.stringify(id)
}

/** The id of the request that the message cancels, as a key; `null`: it cancels none. */
export function cancelledId({ method, params }: Message): string | null {
  if (method !== 'notifications/cancelled' || !isObject(params)) return null
  return JSON.stringify(params['requestId'])
}

/** The headers that go with a message over HTTP. */
export function headersOf({ method, params }: Message): Record<string, string> {
  const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {}
  const version = meta[versionKey]
  if (typeof version !== 'string' || typeof method !== 'string') return {}
  const field = Object.hasOwn(nameFields, method) ? nameFields[method] : undefined
  const name = field === undefined || !isObject(params) ? undefined : params[field]
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}
