import type { Json, JsonObject } from '../../domain/json.ts'
import type { ToolResult } from '../../domain/tool.ts'
import type { McpHost } from './mcp-host.ts'

const checkTimeoutMs = 10_000
/** No more problems are told of one answer. */
const mostProblems = 10

interface Held {
  readonly server: string
  readonly tool: string
  /** what the tool says it returns; `null`: it does not say */
  readonly schema: JsonObject | null
  readonly host: McpHost
  readonly signal: AbortSignal
}

/**
 * A server's answer held against the tool's own `outputSchema`, as the protocol asks of clients: one that does not conform
 * is an error that says so. What was returned stays for people to look at; the model is not given it as fact.
 */
export async function heldToSchema(result: ToolResult, held: Held): Promise<ToolResult> {
  if (held.schema === null || result.type !== 'output') return result
  const problems = await problemsOf(result.output, held.schema, held)
  if (problems.length === 0) return result
  const told = problems.slice(0, mostProblems).join('; ')
  const more = problems.length > mostProblems ? `; and ${problems.length - mostProblems} more` : ''
  const what =
    `${held.tool} of the MCP server ${held.server} ran to its end, but what it returned is not ` +
    `what it says it returns: ${`${told}${more}`.slice(0, 1000).toWellFormed()}`
  const text = `${what}. Its effect may have happened; do not call it again only for the result.`
  return { ...result, type: 'error', text, unfit: what }
}

async function problemsOf(
  output: Json,
  schema: JsonObject,
  { host, signal }: Held,
): Promise<readonly string[]> {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return []
  if (Object.hasOwn(output, 'omitted')) return ['it is too large to be kept, and was not checked']
  const value = output['structuredContent']
  if (value === undefined) return ['it has an outputSchema, and returned no structuredContent']
  try {
    const question = { do: 'check', schema, value } as const
    return await host.ask(question, { timeoutMs: checkTimeoutMs, signal })
  } catch (error) {
    if (signal.aborted) throw error
    return [`it could not be checked: ${error instanceof Error ? error.message : String(error)}`]
  }
}
