import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Environment, readText } from '#runtime/environment.ts'
import { findFolders, hostProofFile, projectAbove, runFolder } from '#runtime/folders.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { ownCommandIn } from '#runtime/own-command.ts'
import { shellWord } from '#domain/tools/shell-word.ts'
import type { ServiceOptions } from './service-options.ts'

/** Where the service is, and the development token when this is its machine. */
export interface FoundService {
  readonly url: string
  readonly runDir: string
  readonly devToken: string | null
  /** with which a person on the service's machine makes sign-in links */
  readonly hostToken: string | null
  /** with which a program on the service's machine proves in which folder it works */
  readonly hostProof: Uint8Array | null
}

/**
 * `--url`, else `COUNTERSIGN_URL`, else the service that runs for the project's data folder.
 * Tokens are only ever read from that data folder.
 */
export async function findService(
  options: ServiceOptions,
  environment: Environment,
): Promise<FoundService> {
  const { dataDir } = findFolders(options)
  const runDir = runFolder(dataDir)
  const local = await readLine(join(runDir, 'url'))
  const url = options.url ?? readText(environment, 'COUNTERSIGN_URL') ?? local
  if (url === null) {
    const above = options.data === undefined ? projectAbove(resolve(options.project ?? '.')) : null
    const start = [ownCommandIn(process.cwd()), 'start', ...folderOptions(options)].join(' ')
    const remedy =
      above === null
        ? `Start one with ${start}`
        : `The project is in ${above}: use --project ${shellWord(above)}`
    throw new CommandFailure(
      `No service runs for ${dataDir}. ${remedy}, or name the address of another with --url or COUNTERSIGN_URL.`,
    )
  }
  const origin = originOf(url)
  // Pages use the host `localhost` and programs use 127.0.0.1. Both are the service of this data
  // folder.
  const isLocal = local !== null && byNumber(origin) === byNumber(originOf(local))
  return {
    url: isLocal ? originOf(local) : origin,
    runDir,
    devToken: isLocal ? await readLine(join(runDir, 'dev-token')) : null,
    hostToken: isLocal ? await readLine(join(runDir, 'host-token')) : null,
    hostProof: isLocal ? await readFile(hostProofFile(dataDir)).catch(() => null) : null,
  }
}

function originOf(url: string): string {
  try {
    return new URL(url).origin
  } catch {
    throw new CommandFailure(
      `${url} is not the address of a service, such as http://localhost:4400`,
      exitCodes.usage,
    )
  }
}

/** The options with which `start` finds the same folders. */
function folderOptions({ project, data }: ServiceOptions): readonly string[] {
  return [
    ...(project === undefined ? [] : ['--project', shellWord(project)]),
    ...(data === undefined ? [] : ['--data', shellWord(data)]),
  ]
}

function byNumber(origin: string): string {
  return origin.replace('//localhost:', '//127.0.0.1:')
}

async function readLine(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch {
    return null
  }
}
