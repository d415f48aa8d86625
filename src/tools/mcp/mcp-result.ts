import type { Json } from '../../domain/json.ts'
import type { ToolResult } from '../../domain/tool.ts'
import { shownText } from '../files/shown-text.ts'
import type { McpCallResult } from './mcp-protocol.ts'
import { takeFiles } from './take-files.ts'

/** A server's answer as a tool's result. Throws for one that was lost: nobody knows what the call did. */
export function mcpResult(server: string, tool: string, result: McpCallResult): ToolResult {
  switch (result.type) {
    case 'output':
    case 'error':
      return answered(result.type, result.output, result.text)
    case 'lost':
      throw new Error(`The MCP server ${server} was lost while ${tool} ran: ${result.problem}`)
    case 'changed':
    case 'unreachable': {
      const why =
        result.type === 'changed'
          ? result.problem
          : `the server does not answer (${result.problem})`
      const text = `${tool} of the MCP server ${server} was not carried out: ${why}.`
      return { type: 'error', output: { problem: text }, text }
    }
  }
}

function answered(type: 'output' | 'error', whole: Json, words: string): ToolResult {
  const { output, files, leftOut: lost } = takeFiles(whole)
  const { text, leftOut } = shownText(words)
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
