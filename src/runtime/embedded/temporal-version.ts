import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The release of Temporal's command line that `tools/temporal` pins, and the server inside it. */
export const TEMPORAL_CLI_VERSION = '1.8.2'
export const TEMPORAL_SERVER_VERSION = '1.31.2'

/** Older servers lack eager activities for us or differ in their database. */
const OLDEST_SERVER = [1, 31] as const

/**
 * The version of the server inside a `temporal` program, such as `1.31.2`.
 * Throws one sentence when the program does not run or does not say.
 */
export async function readServerVersion(binary: string): Promise<string> {
  const said = await run(binary, ['--version'], { timeout: 15_000 }).catch((cause: unknown) => {
    throw new Error(
      `${binary} does not run: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  })
  const version = /Server (\d+\.\d+\.\d+)/.exec(said.stdout)?.[1]
  if (version === undefined)
    throw new Error(`${binary} does not say which server it holds: ${said.stdout.trim()}`)
  return version
}

/** Whether we can work with that server. */
export function isUsableServer(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1]
}
