import type { Json, JsonObject } from '#domain/json/json.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { errorMessage } from '#domain/error-message.ts'
import type { McpHost } from './mcp-host.ts'

const checkTimeoutMs = 10_000
/** More problems of one answer are not listed. */
const maxProblems = 10

interface OutputCheck {
  readonly server: string
  readonly tool: string
  /** the tool's `outputSchema`; `null`: it declares none */
  readonly schema: JsonObject | null
  readonly host: McpHost
  readonly signal: AbortSignal
}

/**
 * Checks a server's answer against the tool's own `outputSchema`, as the protocol requires of
 * clients: an answer that does not conform becomes an error. People can still read it; the model
 * does not get it as fact.
 */
export async function checkOutput(result: ToolResult, check: OutputCheck): Promise<ToolResult> {
  if (check.schema === null || result.type !== 'output') return result
  const problems = await problemsOf(result.output, check.schema, check)
  if (problems.length === 0) return result
  const list = problems.slice(0, maxProblems).join('; ')
  const more = problems.length > maxProblems ? `; and ${problems.length - maxProblems} more` : ''
  const what =
    `${check.tool} of the MCP server ${check.server} ran to its end, but what it returned is not ` +
    `what it says it returns: ${`${list}${more}`.slice(0, 1000).toWellFormed()}`
  const text = `${what}. Its effect may have happened; do not call it again only for the result.`
  return { ...result, type: 'error', text, unfit: what }
}

async function problemsOf(
  output: Json,
  schema: JsonObject,
  { host, signal }: OutputCheck,
): Promise<readonly string[]> {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return []
  if (Object.hasOwn(output, 'omitted')) return ['it is too large to be kept, and was not checked']
  const value = output['structuredContent']
  if (value === undefined) return ['it has an outputSchema, and returned no structuredContent']
  try {
    const query = { do: 'check', schema, value } as const
    return await host.request(query, { timeoutMs: checkTimeoutMs, signal })
  } catch (error) {
    if (signal.aborted) throw error
    return [`it could not be checked: ${errorMessage(error)}`]
  }
}
