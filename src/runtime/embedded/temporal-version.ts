import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorMessage } from '#domain/error-message.ts'
import type { Environment } from '../environment.ts'
import { cacheFolder } from '../folders.ts'

const run = promisify(execFile)

/** The release of Temporal's command line that `tools/temporal` pins, and the server inside it. */
export const temporalCliVersion = '1.8.2'
/** The release of the Temporal server that is downloaded or built. */
export const temporalServerVersion = '1.31.2'

/** Where the cache has that program. */
export function cachedTemporal(environment: Environment): string {
  const name = `temporal-${temporalCliVersion}-${process.platform}-${process.arch}`
  return join(cacheFolder(environment), name)
}

/** Older servers lack eager activities or have another database. */
const oldestServer = [1, 31] as const

/**
 * The version of the server in a `temporal` program, such as `1.31.2`. Throws one sentence when the
 * program does not run or has no version.
 */
export async function readServerVersion(binary: string): Promise<string> {
  const output = await run(binary, ['--version'], { timeout: 15_000 }).catch((cause: unknown) => {
    throw new Error(`${binary} does not run: ${errorMessage(cause)}`, { cause })
  })
  const version = /Server (\d+\.\d+\.\d+)/.exec(output.stdout)?.[1]
  if (version === undefined)
    throw new Error(`${binary} does not print the version of its server: ${output.stdout.trim()}`)
  return version
}

/** Whether that server is new enough. */
export function isUsableServer(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === oldestServer[0] && minor >= oldestServer[1]
}
