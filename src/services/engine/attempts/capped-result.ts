import type { Json } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { isContinuation } from '#domain/text/output-place.ts'
import type { CallResult } from '../../transcript/store-result.ts'

/** A result as it is stored: bounded, with the exact size of whatever was cut (security.md 24). */
export function cappedResult(result: CallResult): CallResult {
  const { output, text } = result
  return {
    type: result.type,
    text: cappedText(text, limits.shownToModelBytes),
    ...(output === undefined ? {} : { output: cappedOutput(output) }),
  }
}

function cappedOutput(output: Json): Json {
  const bytes = Buffer.byteLength(JSON.stringify(output))
  const maxBytes = limits.storedOutputBytes
  if (bytes <= maxBytes) return output
  return { omitted: `The output had ${bytes} bytes; at most ${maxBytes} are stored.`, bytes }
}

function cappedText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (isContinuation(bytes[end])) end -= 1
  const beginning = bytes.subarray(0, end).toString('utf8')
  return `${beginning}\n[${bytes.length - end} of ${bytes.length} bytes are not shown.]`
}
