import { withCapital } from '#domain/text/readable-name.ts'
import { canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallPresentation, ServerTool, Tool } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { errorMessage } from '#domain/error-message.ts'
import { QueryNotAccepted, ToolProcessEnded } from '../custom/query-child.ts'
import { titleLine, presentStructured } from '../presentations/structured.ts'
import { textProblems } from '../definition/text-problems.ts'
import {
  hashOfDefinition,
  type McpDefinition,
  type McpQuery,
  type SentCall,
  type SentMessage,
} from './mcp-protocol.ts'
import { definitionDifference, definitionWarnings } from './definition-text.ts'
import { checkOutput } from './check-output.ts'
import type { McpHost } from './mcp-host.ts'
import { mcpResult } from './mcp-result.ts'
import type { WatchedCall } from './connection.ts'

const quickTimeoutMs = 10_000
const callTimeoutMs = 10 * 60_000

/** A message to a server that has ended, for metrics. */
export interface EndedServerMessage extends SentCall {
  readonly method: SentMessage['method'] | 'tools/call'
  /** the server's own name of the tool that was called; `null`: none was */
  readonly tool: string | null
  readonly transport: ServerTool['transport']
}

export interface McpToolParts {
  /** `mcp__server__tool` */
  readonly name: string
  /** as the worker's file names it */
  readonly server: string
  /** hash of the server's address or command, without its secrets */
  readonly serverHash: string
  readonly definition: McpDefinition
  /** the pinned definition; `null`: the pin does not have the tool */
  readonly pinned: McpDefinition | null
  /** why the pin, and so the whole server, must not be used; see `ServerTool` */
  readonly forged: string | null
  readonly host: McpHost
  readonly transport: EndedServerMessage['transport']
  /** called when a call was not made because the definition has changed */
  readonly onChanged: () => void
  /** called when a call that was sent has ended; absent: nobody counts them */
  readonly onMessageEnded?: ((message: EndedServerMessage) => void) | undefined
  /** how its calls are watched; `null`: the server has no access to files of the workspace */
  readonly watched: WatchedCall | null
}

/**
 * A tool of an MCP server in the shape for policy and services. The server's definition can raise
 * its risk and never lowers anything; a call is made only while the definition is the approved one.
 */
export function mcpTool(parts: McpToolParts): Tool {
  const { name, server, definition, host } = parts
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
      transport: parts.transport,
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
        const why = errorMessage(error)
        const problem = `The MCP server ${server} does not answer: ${why} Go on without its tools, or call one again later.`
        return { ok: false, problems: [problem], isUnread: true }
      }
    },

    accesses: () => [],
    approval: async () => null,

    present: async (input) => presentedOf(parts, { definitionNow, definitionHash, changed }, input),

    execute: (input, { signal, traceparent = null }) => {
      const { name: tool } = definition
      const query = { do: 'call', tool, input, definition: definitionNow, traceparent } as const
      return callTool(parts, query, signal)
    },
  }
}

function changeOf({ server, definition, pinned }: McpToolParts, hash: string): string | null {
  if (pinned !== null && hashOfDefinition(pinned) === hash) return null
  return pinned === null
    ? `the MCP server ${server} offers ${definition.name} only since the activation of the version in force`
    : `the MCP server ${server} has changed the definition of ${definition.name} since the activation of the version in force`
}

/** Makes a call, and checks its result against the definition. */
async function callTool(
  parts: McpToolParts,
  query: Extract<McpQuery, { do: 'call' }>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { server, definition, host, watched } = parts
  const { name: tool, outputSchema: schema } = definition
  const call = (): Promise<ToolResult> => sendCall(parts, query, signal)
  let result: ToolResult
  try {
    result = await (watched === null ? call() : watched(host, call))
  } catch (error) {
    if (!(error instanceof QueryNotAccepted || error instanceof ToolProblem)) throw error
    return mcpResult(server, tool, { type: 'unreachable', problem: error.message })
  }
  if (result.notMade === 'changed') parts.onChanged()
  return checkOutput(result, { server, tool, schema, host, signal })
}

/** Sends a call, and reports when it has ended, unless it was not sent. */
async function sendCall(
  { server, host, transport, onMessageEnded }: McpToolParts,
  query: Extract<McpQuery, { do: 'call' }>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { tool } = query
  const report = (sent: SentCall): void =>
    onMessageEnded?.({ method: 'tools/call', tool, transport, ...sent })
  const startedAt = performance.now()
  const options = { timeoutMs: callTimeoutMs, signal }
  const answer = await host.request(query, options).catch((error: unknown) => {
    const durationMs = performance.now() - startedAt
    const type = signal.aborted ? 'cancelled' : '_OTHER'
    if (error instanceof ToolProcessEnded && !(error instanceof QueryNotAccepted))
      report({ durationMs, error: type })
    throw error
  })
  if ('sent' in answer) report(answer.sent)
  return mcpResult(server, tool, answer)
}

async function presentedOf(
  { server, definition, pinned }: McpToolParts,
  now: { definitionNow: string; definitionHash: string; changed: string | null },
  input: JsonObject,
): Promise<CallPresentation> {
  const { title, description, annotations } = definition
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
        // The server's own words: presented as its claims, never as the service's.
        serverClaims: { ...(title === null ? {} : { title }), description, annotations },
      },
      [
        ...(now.changed === null ? [] : [`${withCapital(now.changed)}.`]),
        ...definitionWarnings(definition),
      ],
      definition.inputSchema,
    ),
    facts: {
      toolHash: now.definitionHash,
      bases: [],
      detail: { server, definition: now.definitionNow },
    },
    content: Buffer.from(canonicalJson(input)),
    contentType: 'text/plain',
  }
}
