import { isJsonObject } from '#domain/json/is-object.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { textOrEmpty } from '#domain/json/text-or-empty.ts'

/**
 * A server's result in the protocol's form for a client: texts, pictures, resources and links as
 * parts, and nothing else that the server sent (no `_meta`, no annotations). Parts that were too
 * large to store are named by their size.
 */
export function returnedContent(result: ToolResult): JsonObject {
  const { output, text, type } = result
  const isError = type === 'error' ? { isError: true } : {}
  const parts = isJsonObject(output) ? output['content'] : undefined
  // An error of the service, or an answer that does not fit its schema: the client gets the
  // sentence.
  if (!isJsonObject(output) || !Array.isArray(parts) || result.unfit !== undefined) {
    return { content: [{ type: 'text', text }], ...isError }
  }
  const files = new Map(
    (result.files ?? []).map(({ bytes }) => [hashBytes(bytes), Buffer.from(bytes)] as const),
  )
  const structured = output['structuredContent']
  return {
    content: parts.map((part) => contentPart(isJsonObject(part) ? part : {}, files)),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...isError,
  }
}

function contentPart(part: JsonObject, files: ReadonlyMap<string, Buffer>): JsonObject {
  const data = files.get(textOrEmpty(part['hash']))?.toString('base64')
  switch (part['type']) {
    case 'text':
      return { type: 'text', text: textOrEmpty(part['text']) }
    case 'image':
    case 'audio':
      if (data === undefined) break
      return { type: part['type'], data, mimeType: textOrEmpty(part['mediaType']) }
    case 'resource': {
      const resource = { uri: textOrEmpty(part['uri']), mimeType: textOrEmpty(part['mediaType']) }
      if (typeof part['text'] === 'string') {
        return { type: 'resource', resource: { ...resource, text: part['text'] } }
      }
      if (data === undefined) break
      return { type: 'resource', resource: { ...resource, blob: data } }
    }
    case 'resource_link':
      return {
        type: 'resource_link',
        uri: textOrEmpty(part['uri']),
        name: textOrEmpty(part['name']),
      }
    default:
  }
  return { type: 'text', text: JSON.stringify(part) }
}
