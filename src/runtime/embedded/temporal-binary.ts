import { delimiter, join } from 'node:path'
import { errorMessage } from '#domain/error-message.ts'
import { processEnvironment, readText, type Environment } from '../environment.ts'
import { buildWithGo, findGo } from './build-with-go.ts'
import { downloadTemporal } from './download-temporal.ts'
import { installOnce } from './install-once.ts'
import {
  cachedTemporal,
  temporalCliVersion,
  isUsableServer,
  readServerVersion,
} from './temporal-version.ts'
import { isProgram } from '../files.ts'

export interface FindTemporalOptions {
  readonly log: (sentence: string) => void
  /** Default: the process' own. */
  readonly environment?: Environment
}

/**
 * The path of a `temporal` program with a usable server: the one of `COUNTERSIGN_TEMPORAL_BIN`, the
 * one on the PATH, the cache's, a download, or built with Go from `tools/temporal`, in this order.
 * It may download or build into the cache folder, and says so. Throws one message that says how to
 * install it when every way failed.
 */
export async function findTemporalBinary(options: FindTemporalOptions): Promise<string> {
  const environment = options.environment ?? processEnvironment()
  const configured = readText(environment, 'COUNTERSIGN_TEMPORAL_BIN')
  if (configured !== undefined) return checkConfigured(configured)
  const onPath = await findOnPath(environment, options.log)
  if (onPath !== null) return onPath
  const target = cachedTemporal(environment)
  if (await isProgram(target)) return target
  return installOnce(target, (path) => obtain(path, options.log), options.log)
}

async function checkConfigured(binary: string): Promise<string> {
  const version = await readServerVersion(binary)
  if (isUsableServer(version)) return binary
  throw new Error(
    `COUNTERSIGN_TEMPORAL_BIN names a program with server ${version}, and 1.31 or newer is needed: unset it or install a newer one`,
  )
}

async function findOnPath(
  environment: Environment,
  log: (sentence: string) => void,
): Promise<string | null> {
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue
    const candidate = join(folder, 'temporal')
    if (!(await isProgram(candidate))) continue
    const version = await readServerVersion(candidate).catch(() => null)
    if (version !== null && isUsableServer(version)) return candidate
    log(
      `${candidate} is not used: ${version === null ? 'it does not run' : `its server is ${version}, 1.31 or newer is needed`}`,
    )
  }
  return null
}

/** Downloads or builds it. Both failures are reported, since correcting either is enough. */
async function obtain(path: string, log: (sentence: string) => void): Promise<void> {
  const failures: string[] = []
  log(`getting Temporal ${temporalCliVersion} (once; kept in the cache)`)
  try {
    await downloadTemporal(path, log)
    return
  } catch (error) {
    failures.push(errorMessage(error))
    log(`${errorMessage(error)}: building it instead`)
  }
  if ((await findGo()) === null)
    failures.push('it could not be built: no Go toolchain is on the PATH')
  else {
    log('building Temporal from source: about four minutes the first time')
    try {
      await buildWithGo(
        { name: 'Temporal', programPackage: 'github.com/temporalio/cli/cmd/temporal', path },
        log,
      )
      return
    } catch (error) {
      failures.push(errorMessage(error))
    }
  }
  throw new Error(
    `No Temporal server is available: ${failures.join('; ')}. Install the "temporal" command ` +
      '(https://docs.temporal.io/cli) or Go 1.26, or name a server with TEMPORAL_ADDRESS, then start again.',
  )
}
