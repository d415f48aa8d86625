import type { Json, JsonObject } from '#domain/json/json.ts'
import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { ParsedInput } from '#domain/tools/tool.ts'
import { hashJson } from '#domain/json/digest.ts'

/**
 * How a server is reached. It travels to the process that holds it over a pipe: arguments of
 * processes are public.
 */
export type McpConnection =
  | {
      readonly type: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      /** all that the server inherits */
      readonly environment: Readonly<Record<string, string>>
      readonly cwd: string
      /** what it reads on descriptor 3 and those after it, in base64 */
      readonly descriptors: readonly string[]
      /** what its sandbox waits for before it begins (security.md 7) */
      readonly network: NetworkAccess
    }
  | {
      readonly type: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

/** What a server says of one of its tools. Every word of it is the server's claim. */
export interface McpDefinition {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | null
  readonly annotations: JsonObject
}

/** The tools that a server lists, and why others of its list are left out. */
export interface McpListing {
  readonly server: { readonly name: string; readonly version: string }
  readonly tools: readonly McpDefinition[]
  readonly problems: readonly string[]
}

/** One query to the process that holds a server; it works on one at a time. */
export type McpQuery =
  | { readonly do: 'open'; readonly connection: McpConnection }
  | { readonly do: 'list' }
  | { readonly do: 'parse'; readonly schema: JsonObject; readonly input: Json }
  /** what a tool returned, against its `outputSchema` */
  | { readonly do: 'check'; readonly schema: JsonObject; readonly value: Json }
  | {
      readonly do: 'call'
      readonly tool: string
      readonly input: JsonObject
      /**
       * `hashOfDefinition` of what was approved: a server that says something else by now is not
       * called
       */
      readonly definition: string
    }

/**
 * How a call ended. `changed` and `unreachable`: it was not made. `lost`: it was made, and its
 * outcome is unknown.
 */
export type McpCallResult =
  | { readonly type: 'output' | 'error'; readonly output: Json; readonly text: string }
  | { readonly type: 'changed' | 'unreachable' | 'lost'; readonly problem: string }

export interface McpAnswers {
  readonly open: null
  readonly list: McpListing
  readonly parse: ParsedInput
  /** what is wrong with it, as sentences */
  readonly check: readonly string[]
  readonly call: McpCallResult
}

/**
 * `sha256:…` of everything that a server says of a tool: name, title, description, schemas and
 * annotations.
 */
export function hashOfDefinition(definition: McpDefinition): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  return hashJson({ name, title, description, inputSchema, outputSchema, annotations })
}
