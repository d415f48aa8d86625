import { canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallPresentation, Tool } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { QueryNotAccepted } from '../custom/tool-child.ts'
import { titleLine, presentStructured } from '../presentations/structured.ts'
import { textWarnings } from '../presentations/text-warnings.ts'
import { textProblems } from '../definition/text-problems.ts'
import { hashOfDefinition, type McpDefinition } from './mcp-protocol.ts'
import { definitionDifference, definitionWarnings } from './definition-text.ts'
import { checkOutput } from './check-output.ts'
import type { McpHost } from './mcp-host.ts'
import { mcpResult } from './mcp-result.ts'
import type { WatchedCall } from './watch-names.ts'

const quickTimeoutMs = 10_000
const callTimeoutMs = 10 * 60_000

export interface McpToolParts {
  /** `mcp__server__tool` */
  readonly name: string
  /** as the worker's file names it */
  readonly server: string
  /** hash of how the server is reached, its secrets left out */
  readonly serverHash: string
  readonly definition: McpDefinition
  /** as it was pinned; `null` when the tool was not there */
  readonly pinned: McpDefinition | null
  /** why the pin does not count, and with it nothing of the server; see `ServerTool` */
  readonly forged: string | null
  readonly host: McpHost
  /** told when a call was not made because the server says something else by now */
  readonly onChanged: () => void
  /** how its calls are watched; `null`: the server touches no file of the workspace */
  readonly watched: WatchedCall | null
}

/**
 * A tool of an MCP server in the shape that policy and services use. What the server says of it can
 * raise its risk and never lowers anything; the call is made only while the server still says what
 * was approved.
 */
export function mcpTool(parts: McpToolParts): Tool {
  const { name, server, definition, pinned, host } = parts
  const definitionNow = hashOfDefinition(definition)
  const definitionHash = hashJson({
    server,
    serverHash: parts.serverHash,
    definition: definitionNow,
  })
  const changed = changeOf(parts, definitionNow)
  const { annotations, description, inputSchema } = definition
  return {
    name,
    description,
    jsonSchema: inputSchema,
    risk: annotations['destructiveHint'] === true ? 'high' : 'medium',
    readOnly: false,
    idempotent: false,
    manual: false,
    scopes: ['once', 'run'],
    definitionHash,
    server: {
      name: server,
      tool: definition.name,
      title: definition.title,
      annotations,
      changed,
      forged: parts.forged,
    },

    async parse(input) {
      const problems = textProblems(input)
      if (problems.length > 0) return { ok: false, problems }
      const query = { do: 'parse', schema: inputSchema, input } as const
      try {
        return await host.request(query, { timeoutMs: quickTimeoutMs, signal: null })
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        const problem = `The MCP server ${server} does not answer: ${why} Go on without its tools, or call one again later.`
        return { ok: false, problems: [problem] }
      }
    },

    accesses: () => [],
    approval: async () => null,

    present: async (input) => presentedOf(parts, { definitionNow, definitionHash, changed }, input),

    async execute(input, { signal }) {
      const { name: tool } = definition
      const query = { do: 'call', tool, input, definition: definitionNow } as const
      const options = { timeoutMs: callTimeoutMs, signal }
      const call = async (): Promise<ToolResult> =>
        mcpResult(server, tool, await host.request(query, options))
      let result: ToolResult
      try {
        result = await (parts.watched === null ? call() : parts.watched(call))
      } catch (error) {
        if (!(error instanceof QueryNotAccepted || error instanceof ToolProblem)) throw error
        return mcpResult(server, tool, { type: 'unreachable', problem: error.message })
      }
      if (result.notMade === 'changed') parts.onChanged()
      return checkOutput(result, { server, tool, schema: definition.outputSchema, host, signal })
    },
  }

  function changeOf({ definition: now }: McpToolParts, hash: string): string | null {
    if (pinned !== null && hashOfDefinition(pinned) === hash) return null
    return pinned === null
      ? `the MCP server ${server} offers ${now.name} only since the activation of the version in force`
      : `the MCP server ${server} has changed the definition of ${now.name} since the activation of the version in force`
  }
}

async function presentedOf(
  { server, definition, pinned }: McpToolParts,
  now: { definitionNow: string; definitionHash: string; changed: string | null },
  input: JsonObject,
): Promise<CallPresentation> {
  const { title, description, annotations } = definition
  const inputText = JSON.stringify(input, null, 2)
  const difference =
    now.changed === null || pinned === null ? null : await definitionDifference(pinned, definition)
  return {
    title: titleLine(`Call ${definition.name} of ${server} ${JSON.stringify(input)}`),
    presentation: presentStructured(
      input,
      {
        server,
        serverTool: definition.name,
        definition: now.definitionNow,
        pinnedDefinition:
          pinned === null ? 'none: the tool was not there' : hashOfDefinition(pinned),
        ...(difference === null ? {} : { definitionChange: difference }),
        // The server's own words: presented as its claim, never as the service's.
        serverClaims: { ...(title === null ? {} : { title }), description, annotations },
      },
      [
        ...(now.changed === null ? [] : [`${sentence(now.changed)}.`]),
        ...textWarnings(inputText.split('\n')),
        ...definitionWarnings(definition),
      ],
    ),
    facts: {
      toolHash: now.definitionHash,
      bases: [],
      detail: { server, definition: now.definitionNow },
    },
    content: Buffer.from(canonicalJson(input)),
    contentType: 'text/plain',
    proposes: new Map(),
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
