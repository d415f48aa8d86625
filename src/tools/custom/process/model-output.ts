import { isObject } from '#domain/json/is-object.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { ModelOutput, ModelOutputPart } from '../tool-protocol.ts'

/**
 * The result of a tool's `toModelOutput` in the form for the pipe. Files elsewhere are named and
 * not fetched. Throws a sentence when it is not a tool output of the AI SDK.
 */
export function modelOutputOf(value: unknown): ModelOutput {
  const { type, value: content, reason } = fieldsOf(value)
  switch (type) {
    case 'text':
    case 'error-text':
      if (typeof content !== 'string') break
      return { isError: type === 'error-text', parts: [textPart(content)] }
    case 'json':
    case 'error-json':
      return {
        isError: type === 'error-json',
        parts: [textPart(JSON.stringify(content) ?? 'null')],
      }
    case 'execution-denied':
      return {
        isError: true,
        parts: [textPart(typeof reason === 'string' ? reason : 'The tool denied its execution.')],
      }
    case 'content':
      if (!Array.isArray(content)) break
      return { isError: false, parts: content.map(partOf) }
    default:
  }
  throw new TypeError('it is not a tool output of the AI SDK')
}

function partOf(value: unknown): ModelOutputPart {
  const part = fieldsOf(value)
  const { type, text, data, mediaType } = part
  const tagged = fieldsOf(data)
  if (type === 'text' && typeof text === 'string') return textPart(text)
  if (type === 'file' && tagged['type'] === 'text' && typeof tagged['text'] === 'string') {
    return textPart(tagged['text'])
  }
  const isFile = type === 'file' && tagged['type'] === 'data'
  const base64 = base64Of(isFile ? tagged['data'] : data)
  const isBytes = isFile || type === 'file-data' || type === 'image-data' || type === 'media'
  if (!isBytes || base64 === null) {
    return textPart(`[${typeof type === 'string' ? type : 'a part'} that is not given]`)
  }
  return { type: 'file', mediaType: typeof mediaType === 'string' ? mediaType : '', data: base64 }
}

function textPart(text: string): ModelOutputPart {
  return { type: 'text', text: storable(text) }
}

function base64Of(data: unknown): string | null {
  if (typeof data === 'string') return data.replace(/^data:[^,]{0,200};base64,/, '')
  if (data instanceof Uint8Array) return Buffer.from(data).toString('base64')
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString('base64')
  return null
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
