import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { homedir } from 'node:os'
import { dataFolderName } from '#sandbox/hidden-paths.ts'
import { readText, type Environment } from './environment.ts'

/** The folder of this checkout or package, wherever the command was called from. */
export const checkoutFolder = fileURLToPath(new URL('../..', import.meta.url))

/** Whether this is the compiled package, and not a checkout. */
export const isPackage = import.meta.url.endsWith('.js')

/** The file that starts the command `countersign`. */
export const entryFile = join(checkoutFolder, 'src', 'cli', isPackage ? 'main.js' : 'main.ts')

export interface Folders {
  /** Holds `countersign.yaml`. */
  readonly projectDir: string
  /** All data of this installation. */
  readonly dataDir: string
  /** True when the project is the working copy of examples/quickstart. */
  readonly isQuickstart: boolean
}

/**
 * The project and data folder of a command: `--project` (else the working directory), `--data`
 * (else `.countersign` in it). Without a `countersign.yaml` there, the project is the working copy
 * of the quickstart in the data folder.
 */
export function findFolders(options: { project?: string; data?: string }): Folders {
  const folder = resolve(options.project ?? '.')
  const dataDir = resolve(options.data ?? join(folder, dataFolderName))
  const quickstart = join(dataDir, 'quickstart')
  const isQuickstart = folder === quickstart || !existsSync(join(folder, 'countersign.yaml'))
  return { projectDir: isQuickstart ? quickstart : folder, dataDir, isQuickstart }
}

/**
 * The nearest folder above a folder without a `countersign.yaml` that has one; `null`: the folder
 * has one itself, or none above has.
 */
export function projectAbove(folder: string): string | null {
  const isProject = (path: string): boolean => existsSync(join(path, 'countersign.yaml'))
  if (isProject(folder)) return null
  let path = folder
  while (path !== dirname(path)) {
    path = dirname(path)
    if (isProject(path)) return path
  }
  return null
}

/** Whether a command finds the data folder itself: `--project`, or the example's. */
export function isUsualDataDir({ projectDir, dataDir, isQuickstart }: Folders): boolean {
  return dataDir === join(isQuickstart ? checkoutFolder : projectDir, dataFolderName)
}

/** Files of a running installation: process ids, addresses, the development token. */
export function runFolder(dataDir: string): string {
  return join(dataDir, 'run')
}

/** The key with which programs prove in which folder they work; made at each start. */
export function hostProofFile(dataDir: string): string {
  return join(runFolder(dataDir), 'host-proof')
}

/** The folder of the logs of `countersign start`. */
export function logFolder(dataDir: string): string {
  return join(dataDir, 'logs')
}

/**
 * The cache for downloads and builds that any checkout can use: `COUNTERSIGN_CACHE`, else
 * `countersign` in the XDG cache folder.
 */
export function cacheFolder(environment: Environment): string {
  const own = readText(environment, 'COUNTERSIGN_CACHE')
  if (own !== undefined) return own
  const home = readText(environment, 'HOME') ?? homedir()
  return join(readText(environment, 'XDG_CACHE_HOME') ?? join(home, '.cache'), 'countersign')
}
