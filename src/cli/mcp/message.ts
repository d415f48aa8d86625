import { parseJson, parseObject } from '#domain/json/parse-json.ts'
import { valueIn } from '#domain/json/value-in.ts'
import type { Readable } from 'node:stream'
import { isObject } from '#domain/json/is-object.ts'
import { LineSplitter } from '#domain/text/encoding/line-splitter.ts'

/** A message of the Model Context Protocol, which is one of JSON-RPC. */
type JsonRpcMessage = Readonly<Record<string, unknown>>

/** A message, and its text as the agent wrote it. */
export interface ReceivedMessage {
  readonly message: JsonRpcMessage
  readonly line: string
}

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

/** Messages of agents are shorter; a longer line is an error. */
const maxLineMib = 12
const tooLong = [-32600, `a message has at most ${maxLineMib} MiB`] as const
/** A longer line is refused before it ends, without the id of its message. */
const maxLineCharacters = 2 * maxLineMib * 1024 * 1024

/**
 * The messages of an agent, one a line. `refuse` gets the answer to a line that is none, so that
 * the agent does not wait for another (JSON-RPC 2.0, section 5.1).
 */
export async function* messagesOf(
  input: Readable,
  refuse: (answer: object) => void,
): AsyncGenerator<ReceivedMessage> {
  for await (const line of linesOf(input)) {
    if (line.trim() === '') continue
    if (line.length > maxLineCharacters) {
      refuse(errorAnswer(null, tooLong))
      continue
    }
    const message = parseObject(line)
    if (message === null) {
      refuse(errorAnswer(null, parseJson(line) !== undefined ? notMessage : notJson))
    } else if (!isMessage(message)) {
      refuse(errorAnswer(isId(message['id']) ? message['id'] : null, notMessage))
    } else if (Buffer.byteLength(line) > maxLineMib * 1024 * 1024) {
      if (idOf(message) !== null) refuse(errorAnswer(message['id'], tooLong))
    } else yield { message, line }
  }
}

async function* linesOf(input: Readable): AsyncGenerator<string> {
  const lines = new LineSplitter(maxLineCharacters)
  for await (const bytes of input) yield* lines.take(bytes as Buffer)
  yield lines.end()
}

const notJson = [-32700, 'the line is no JSON'] as const
const notMessage = [-32600, 'the line is no message of JSON-RPC 2.0'] as const

/** An error of the protocol: its code, and the sentence that the agent shows. */
export function errorAnswer(
  id: unknown,
  [code, sentence]: readonly [code: number, sentence: string],
): object {
  return { jsonrpc: '2.0', id, error: { code, message: `Countersign: ${sentence}` } }
}

/** Whether it is a request, a notification or an answer, in the form that servers read. */
function isMessage(message: JsonRpcMessage): boolean {
  const { jsonrpc, id, method, params } = message
  const isCall = typeof method === 'string' && (id === undefined || isId(id))
  const isAnswer = 'result' in message || 'error' in message
  return jsonrpc === '2.0' && (isAnswer || (isCall && (params === undefined || isObject(params))))
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** The id of a request, as a key; `null`: the message wants no answer. */
export function idOf({ id, method }: JsonRpcMessage): string | null {
  return id === undefined || typeof method !== 'string' ? null : JSON.stringify(id)
}

/** The id of the request that the message cancels, as a key; `null`: it cancels none. */
export function cancelledId({ method, params }: JsonRpcMessage): string | null {
  if (method !== 'notifications/cancelled' || !isObject(params)) return null
  const id = params['requestId']
  return isId(id) ? JSON.stringify(id) : null
}

/** The headers that go with a message over HTTP. */
export function headersOf({ method, params }: JsonRpcMessage): Record<string, string> {
  const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {}
  const version = meta[versionKey]
  if (typeof version !== 'string' || typeof method !== 'string') return {}
  const field = valueIn(nameFields, method)
  const name = field === undefined || !isObject(params) ? undefined : params[field]
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}
