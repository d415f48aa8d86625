import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { McpServer, WorkerDefinition } from '#policy/worker-definition.ts'
import type { Policy } from '#policy/policy.ts'
import { isOwnVariable, variableReference } from '#policy/worker/read-server-settings.ts'
import type { McpHost } from './mcp-host.ts'
import type { McpConnection } from './mcp-protocol.ts'

/** A program with everything that it inherits. */
export interface ServerProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** The worker that a program is started for, and its workspace. */
export interface ServerPlace {
  readonly policy: Policy
  readonly worker: WorkerDefinition
  readonly workspace: Workspace
}

/** The program to start, with what it reads on descriptor 3 and those after it, in base64. */
export interface ConfinedProgram extends ServerProgram {
  readonly cwd: string
  readonly descriptors: readonly string[]
  /** the network that its sandbox waits for before it begins */
  readonly network: NetworkAccess
  /** `coverOf` its sandbox; `null`: it has none */
  readonly cover: string | null
}

/** Wraps a program in the worker's sandbox. Throws why it may not start on this host. */
export type SpawnConfined = (place: ServerPlace, program: ServerProgram) => Promise<ConfinedProgram>

/** Carries out one call of a server, and undoes changes of protected names in the meantime. */
export type WatchedCall = (
  host: Pick<McpHost, 'requireCover'>,
  work: () => Promise<ToolResult>,
) => Promise<ToolResult>

/** How calls of a standard-input server are watched; `null`: it sees no file of the workspace. */
export type WatchNames = (place: ServerPlace, args: readonly string[]) => WatchedCall | null

/** Where programs are found if the service's environment has no PATH. */
export const usualPath = '/usr/local/bin:/usr/bin:/bin'

/**
 * The connection to a worker's server from this host, with `${NAME}` in the values of `env` and
 * `headers` replaced from `environment`. Throws a sentence when a variable is not set, or the
 * server may not be started here.
 */
export async function connectionOf(
  server: McpServer,
  place: ServerPlace,
  host: {
    readonly environment: Readonly<Record<string, string | undefined>>
    readonly spawnConfined: SpawnConfined
  },
): Promise<McpConnection> {
  const { transport } = server
  if (transport.type === 'http') {
    return {
      type: 'http',
      url: transport.url,
      headers: fillVariables(transport.headers, host.environment),
    }
  }
  const { PATH = usualPath } = host.environment
  const environment = { PATH, ...fillVariables(transport.env, host.environment) }
  const { command, args } = transport
  return {
    type: 'stdio',
    ...(await host.spawnConfined(place, { command, args, environment })),
  }
}

function fillVariables(
  values: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const fill = (text: string): string =>
    text.replace(variableReference, (_whole, name: string) => {
      const value = isOwnVariable(name) ? undefined : environment[name]
      if (value === undefined) throw new Error(`${name} is not set in the service's environment`)
      return value
    })
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
}

/** The variables in a server's `env` or `headers`. */
export function variablesOf({ transport }: McpServer): string[] {
  const values = Object.values(transport.type === 'http' ? transport.headers : transport.env)
  const names = values.flatMap((text) =>
    [...text.matchAll(variableReference)].map(([, name = '']) => name),
  )
  return [...new Set(names)]
}
