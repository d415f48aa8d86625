import { textOrEmpty } from '#domain/json/text-or-empty.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { Json } from '#domain/json/json.ts'
import type { ToolResult, ResultFile } from '#domain/tools/tool-result.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { visibleText } from '../definition/visible-text.ts'
import type { McpCallResult } from './mcp-protocol.ts'

/** A server's answer as a tool's result. Throws for a lost one: the call's effect is unknown. */
export function mcpResult(server: string, tool: string, result: McpCallResult): ToolResult {
  switch (result.type) {
    case 'output':
    case 'error':
      return answerResult(result.type, result.output, result.text)
    case 'lost':
      throw new Error(`The MCP server ${server} was lost while ${tool} ran: ${result.problem}`)
    case 'changed':
    case 'unreachable': {
      const why =
        result.type === 'changed'
          ? result.problem
          : `the server does not answer (${result.problem})`
      const text = `${tool} of the MCP server ${server} was not carried out: ${why}.`
      return { type: 'error', output: { problem: text }, text, notMade: result.type }
    }
  }
}

function answerResult(type: 'output' | 'error', returned: Json, words: string): ToolResult {
  const { output, files, leftOut: lost } = takeFiles(returned)
  const { text, leftOut } = visibleText(words)
  const notes = [
    ...(leftOut === 0 ? [] : [`[${leftOut} bytes are left out]`]),
    ...(lost === 0 ? [] : [`[${lost} more pictures or blobs are not kept]`]),
  ]
  return {
    type,
    output,
    text: [text, ...notes].join('\n'),
    ...(files.length === 0 ? {} : { files }),
  }
}

/** A server's answer, and the files that were in it. */
interface ExtractedFiles {
  /** names each file by size and hash, in its place */
  readonly output: Json
  readonly files: readonly ResultFile[]
  /** the number of files over the bound, which are not stored */
  readonly leftOut: number
}

/**
 * Extracts pictures, sounds and blobs, in base64, from a server's answer. Sizes and hashes are
 * computed here, since the server may control the process that reports them.
 */
function takeFiles(output: Json): ExtractedFiles {
  const content = isJsonObject(output) ? output['content'] : undefined
  if (!isJsonObject(output) || !Array.isArray(content)) return { output, files: [], leftOut: 0 }
  const files: ResultFile[] = []
  let leftOut = 0
  const parts = content.map((part): Json => {
    if (!isJsonObject(part) || typeof part['data'] !== 'string') return part
    const { data, ...about } = part
    const bytes = Buffer.from(data, 'base64')
    const summary = { ...about, bytes: bytes.length, hash: hashBytes(bytes) }
    if (files.length === limits.filesOfResult) {
      leftOut += 1
      return { ...summary, omitted: `At most ${limits.filesOfResult} are kept of one result.` }
    }
    files.push({ mediaType: textOrEmpty(about['mediaType']), bytes })
    return summary
  })
  return { output: { ...output, content: parts }, files, leftOut }
}
