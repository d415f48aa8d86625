import type { Json, JsonObject } from '#domain/json/json.ts'
import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { ParsedInput } from '#domain/tools/tool.ts'
import { hashJson } from '#domain/json/digest.ts'

/**
 * The connection to a server. It is sent to its process over a pipe, since arguments of processes
 * are public.
 */
export type McpConnection =
  | {
      readonly type: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      /** the server's whole environment */
      readonly environment: Readonly<Record<string, string>>
      readonly cwd: string
      /** what it reads on descriptor 3 and those after it, in base64 */
      readonly descriptors: readonly string[]
      /** what its sandbox waits for before it begins (security.md 7) */
      readonly network: NetworkAccess
      /** what its sandbox hides and protects; `null`: it has none */
      readonly cover: string | null
    }
  | {
      readonly type: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

/** A server's definition of one of its tools. Every word of it is the server's claim. */
export interface McpDefinition {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | null
  readonly annotations: JsonObject
}

/** The tools that a server lists, and why others are left out. */
export interface McpListing {
  readonly tools: readonly McpDefinition[]
  readonly problems: readonly string[]
}

/** One query to the process of a server, which handles one at a time. */
export type McpQuery =
  | { readonly do: 'open'; readonly connection: McpConnection }
  | { readonly do: 'list' }
  | { readonly do: 'parse'; readonly schema: JsonObject; readonly input: Json }
  /** checks a tool's result against its `outputSchema` */
  | { readonly do: 'check'; readonly schema: JsonObject; readonly value: Json }
  | {
      readonly do: 'call'
      readonly tool: string
      readonly input: JsonObject
      /** `hashOfDefinition` of the approved definition: a server with another one is not called */
      readonly definition: string
      /** the place of the call in its trace; `null`: in none */
      readonly traceparent: string | null
    }

/**
 * How a call ended. `changed` and `unreachable`: it was not made. `lost`: it was made, and its
 * outcome is unknown.
 */
export type McpCallResult =
  | (ReadResult & { readonly sent: SentCall })
  | { readonly type: 'changed' | 'unreachable'; readonly problem: string }

/** What a server answered to a call. */
export type ReadResult =
  | { readonly type: 'output' | 'error'; readonly output: Json; readonly text: string }
  | { readonly type: 'lost'; readonly problem: string }

/** A call that was sent: how long its answer took, and its `error.type` for OpenTelemetry. */
export interface SentCall {
  readonly durationMs: number
  readonly error: string | null
}

/** The messages to a server, beside calls of tools, whose end a process reports. */
export const countedMethods = ['initialize', 'server/discover', 'tools/list'] as const

/** A message to a server that has ended. */
export interface SentMessage extends SentCall {
  readonly method: (typeof countedMethods)[number]
}

export interface McpAnswers {
  readonly open: null
  readonly list: McpListing
  readonly parse: ParsedInput
  /** its problems, as sentences */
  readonly check: readonly string[]
  readonly call: McpCallResult
}

/** `sha256:…` of a tool's definition: name, title, description, schemas, annotations. */
export function hashOfDefinition(definition: McpDefinition): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  return hashJson({ name, title, description, inputSchema, outputSchema, annotations })
}
