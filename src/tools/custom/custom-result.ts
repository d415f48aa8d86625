import { hashBytes } from '../../domain/digest.ts'
import { limits } from '../../domain/limits.ts'
import { pictureTypeOf } from '../../domain/picture-type.ts'
import type { ResultFile, ToolResult } from '../../domain/tool.ts'
import { shownText } from '../files/shown-text.ts'
import type { CustomResult, ModelOutput } from './tool-protocol.ts'

/** How `execute` ended, as a tool's result. */
export function customResult(name: string, result: CustomResult): ToolResult {
  switch (result.type) {
    case 'output': {
      const { output, shown } = result
      if (shown !== undefined && 'parts' in shown) return { ...shownResult(shown), output }
      const whole = typeof output === 'string' ? output : JSON.stringify(output)
      const failed = shown === undefined ? [] : [`[toModelOutput failed: ${shown.problem}]`]
      return { type: 'output', output, text: withNotes(whole, failed) }
    }
    case 'unusable': {
      const text = `${name} ran to its end, but ${result.problem}. Its effect has happened; do not call it again only for the result.`
      return { type: 'output', output: { problem: result.problem }, text }
    }
    default:
      return {
        type: 'error',
        output: { problem: result.problem },
        text: `${name} failed: ${result.problem}`,
      }
  }
}

/** Words as the tool said them, with each file named by type, size and hash in its place. */
function shownResult({ isError, parts }: ModelOutput): Omit<ToolResult, 'output'> {
  const files: ResultFile[] = []
  let notKept = 0
  const words = parts.map((part) => {
    if (part.type === 'text') return part.text
    const bytes = Buffer.from(part.data, 'base64')
    const mediaType = typeOf(part.mediaType, bytes)
    if (files.length < limits.filesOfResult) files.push({ mediaType, bytes })
    else notKept += 1
    const kind = mediaType.startsWith('image/') ? 'image' : 'file'
    return `[${kind}: ${mediaType}, ${bytes.length} bytes, ${hashBytes(bytes)}]`
  })
  const notes = notKept === 0 ? [] : [`[${notKept} more files are not kept]`]
  return {
    type: isError ? 'error' : 'output',
    text: withNotes(words.join('\n'), notes),
    ...(files.length === 0 ? {} : { files }),
  }
}

/** The SDK lets a tool say `image`, or `image/*`, and leave the rest to the bytes. */
function typeOf(claimed: string, bytes: Uint8Array): string {
  const isOpen = claimed === 'image' || claimed === 'image/*'
  return isOpen ? (pictureTypeOf(bytes) ?? 'application/octet-stream') : claimed
}

function withNotes(whole: string, notes: readonly string[]): string {
  const { text, leftOut } = shownText(whole)
  const cut = leftOut === 0 ? [] : [`[${leftOut} bytes are left out]`]
  return [text, ...cut, ...notes].join('\n')
}
