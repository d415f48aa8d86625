import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { McpServer, WorkerDefinition } from '#policy/worker-definition.ts'
import type { Policy } from '#policy/policy.ts'
import { isOwnVariable } from '#policy/worker/read-server-settings.ts'
import type { McpConnection } from './mcp-protocol.ts'

/** A program with everything that it inherits. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** The worker that a program is started for, and where. */
export interface ServerPlace {
  readonly policy: Policy
  readonly worker: WorkerDefinition
  readonly workspace: Workspace
}

/** What is started, with what it reads on descriptor 3 and those after it, in base64. */
export interface ConfinedProgram extends Program {
  readonly cwd: string
  readonly descriptors: readonly string[]
  /** what its sandbox waits for before it begins */
  readonly network: NetworkAccess
}

/**
 * Puts a program into the worker's sandbox: what is to be started instead. Throws the sentence why
 * it may not be started on this host at all.
 */
export type SpawnConfined = (place: ServerPlace, program: Program) => Promise<ConfinedProgram>

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * How a worker's server is reached from this host, with `${NAME}` in the values of `env` and
 * `headers` filled from `environment`. Throws a sentence when a name is not set, or the server may
 * not be started here.
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
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = host.environment
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
    text.replace(reference, (_whole, name: string) => {
      const value = isOwnVariable(name) ? undefined : environment[name]
      if (value === undefined) throw new Error(`${name} is not set in the service's environment`)
      return value
    })
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
}

/** The names that a server's `env` or `headers` want filled. */
export function variablesOf({ transport }: McpServer): string[] {
  const values = Object.values(transport.type === 'http' ? transport.headers : transport.env)
  const names = values.flatMap((text) => [...text.matchAll(reference)].map(([, name = '']) => name))
  return [...new Set(names)]
}
