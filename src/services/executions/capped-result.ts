import type { Json } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import type { CallResult } from '../runs/transcript/store-result.ts'

/** A result as it is kept: bounded, with what was left out said with its exact size (security.md 24). */
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
  const most = limits.storedOutputBytes
  if (bytes <= most) return output
  return { omitted: `The output had ${bytes} bytes; at most ${most} are kept.`, bytes }
}

function cappedText(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= most) return text
  const kept = bytes
    .subarray(0, most)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  const left = bytes.length - Buffer.byteLength(kept)
  return `${kept}\n[${left} of ${bytes.length} bytes are not shown.]`
}
