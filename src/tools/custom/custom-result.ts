import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { pictureTypeOf } from '#domain/tools/picture-type.ts'
import type { ResultFile, ToolResult } from '#domain/tools/tool-result.ts'
import { visibleText } from '../definition/visible-text.ts'
import type { CustomResult, ModelOutput } from './tool-protocol.ts'

/** The result of a tool from the end of `execute`. */
export function customResult(name: string, result: CustomResult): ToolResult {
  switch (result.type) {
    case 'output': {
      const { output, modelOutput } = result
      if (modelOutput !== undefined && 'parts' in modelOutput)
        return { ...modelResult(modelOutput), output }
      const outputText = typeof output === 'string' ? output : JSON.stringify(output)
      const failed =
        modelOutput === undefined ? [] : [`[toModelOutput failed: ${modelOutput.problem}]`]
      return { type: 'output', output, text: withNotes(outputText, failed) }
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

/** The texts of the tool, with type, size and hash in place of each file. */
function modelResult({ isError, parts }: ModelOutput): Omit<ToolResult, 'output'> {
  const files: ResultFile[] = []
  let omittedFiles = 0
  const words = parts.map((part) => {
    if (part.type === 'text') return part.text
    const bytes = Buffer.from(part.data, 'base64')
    const mediaType = typeOf(part.mediaType, bytes)
    if (files.length < limits.filesOfResult) files.push({ mediaType, bytes })
    else omittedFiles += 1
    const kind = mediaType.startsWith('image/') ? 'image' : 'file'
    return `[${kind}: ${mediaType}, ${bytes.length} bytes, ${hashBytes(bytes)}]`
  })
  const notes = omittedFiles === 0 ? [] : [`[${omittedFiles} more files are not kept]`]
  return {
    type: isError ? 'error' : 'output',
    text: withNotes(words.join('\n'), notes),
    ...(files.length === 0 ? {} : { files }),
  }
}

/** In the SDK a tool may name only `image`, or `image/*`: the bytes then say which. */
function typeOf(mediaType: string, bytes: Uint8Array): string {
  const isOpen = mediaType === 'image' || mediaType === 'image/*'
  return isOpen ? (pictureTypeOf(bytes) ?? 'application/octet-stream') : mediaType
}

function withNotes(outputText: string, notes: readonly string[]): string {
  const { text, leftOut } = visibleText(outputText)
  const cut = leftOut === 0 ? [] : [`[${leftOut} bytes are left out]`]
  return [text, ...cut, ...notes].join('\n')
}
