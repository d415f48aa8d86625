import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { ReadResult } from '../mcp-protocol.ts'

/**
 * The result of a call: each part with its type, with size and hash where it is not text, and the
 * text for the model. Parts that cannot be stored are left out of the output with their exact size.
 */
export function readResult(result: JsonObject): ReadResult {
  const { resultType = 'complete' } = result
  // Nobody follows work that a server continues by itself, such as a task.
  if (resultType !== 'complete') {
    const answer = JSON.stringify(resultType).slice(0, 100)
    return { type: 'lost', problem: `it answered with ${answer} instead of a result` }
  }
  const parts = Array.isArray(result['content']) ? result['content'].map(partOf) : []
  const structured = result['structuredContent']
  const texts = parts.map((part) => part.text)
  if (texts.length === 0 && structured !== undefined) texts.push(JSON.stringify(structured))
  if (texts.length === 0 && result['toolResult'] !== undefined) {
    texts.push(JSON.stringify(result['toolResult']))
  }
  const storedResult: JsonObject = {
    content: parts.map((part) => part.stored),
    ...(structured === undefined ? {} : { structuredContent: structured }),
  }
  const bytes = Buffer.byteLength(JSON.stringify(storedResult))
  const maxBytes = limits.storedOutputBytes
  const output: Json =
    bytes <= maxBytes
      ? storedResult
      : { omitted: `The output had ${bytes} bytes; at most ${maxBytes} are kept.`, bytes }
  return {
    type: result['isError'] === true ? 'error' : 'output',
    output,
    text: texts.join('\n').slice(0, 2 * limits.storedOutputBytes),
  }
}

interface Part {
  readonly stored: JsonObject
  readonly text: string
}

function partOf(value: Json): Part {
  const part = objectOf(value)
  switch (part['type']) {
    case 'text': {
      const text = textOf(part['text'])
      return { stored: { type: 'text', text }, text }
    }
    case 'image':
    case 'audio':
      return binary(part['type'], textOf(part['mimeType']), part['data'], {})
    case 'resource': {
      const resource = objectOf(part['resource'])
      const uri = textOf(resource['uri'])
      const mediaType = textOf(resource['mimeType'])
      if (resource['blob'] !== undefined)
        return binary('resource', mediaType, resource['blob'], { uri })
      const text = textOf(resource['text'])
      return {
        stored: { type: 'resource', uri, mediaType, text },
        text: `[resource ${uri}]\n${text}`,
      }
    }
    case 'resource_link': {
      const uri = textOf(part['uri'])
      const name = textOf(part['name'])
      return { stored: { type: 'resource_link', uri, name }, text: `[link to ${name}: ${uri}]` }
    }
    default:
      return { stored: { type: 'unknown', part: value }, text: JSON.stringify(value) }
  }
}

/** Bytes: stored as received, with type, size and hash. The model gets only these facts. */
function binary(kind: string, mediaType: string, data: Json | undefined, more: JsonObject): Part {
  const base64 = textOf(data)
  const bytes = Buffer.from(base64, 'base64')
  const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const where = typeof more['uri'] === 'string' ? ` ${more['uri']}` : ''
  return {
    stored: { type: kind, ...more, mediaType, bytes: bytes.length, hash, data: base64 },
    text: `[${kind}${where}: ${mediaType}, ${bytes.length} bytes, ${hash}]`,
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? storable(value) : ''
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
