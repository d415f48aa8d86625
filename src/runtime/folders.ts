import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this checkout, wherever the command was called from. */
export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

export type Folders = {
  /** Holds `countersign.yaml`. */
  projectDir: string
  /** Everything this installation keeps. */
  dataDir: string
  /** True when the project is the working copy of examples/quickstart. */
  isQuickstart: boolean
}

/**
 * Which project and data folder a command means: `--project` (else the working directory), `--data`
 * (else `.countersign` in it). Without a `countersign.yaml` there, the project is the working copy of
 * the quickstart under the data folder.
 */
export function findFolders(options: { project?: string; data?: string }): Folders {
  const asked = resolve(options.project ?? '.')
  const dataDir = resolve(options.data ?? join(asked, '.countersign'))
  const quickstart = join(dataDir, 'quickstart')
  const isQuickstart = asked === quickstart || !existsSync(join(asked, 'countersign.yaml'))
  return { projectDir: isQuickstart ? quickstart : asked, dataDir, isQuickstart }
}

/** Whether a command finds the data folder by itself: called with `--project`, or for the example in the checkout. */
export function isUsualDataDir({ projectDir, dataDir, isQuickstart }: Folders): boolean {
  return dataDir === join(isQuickstart ? CHECKOUT : projectDir, '.countersign')
}

/** Files of a running installation: process ids, addresses, the development token. */
export function runFolder(dataDir: string): string {
  return join(dataDir, 'run')
}

export function logFolder(dataDir: string): string {
  return join(dataDir, 'logs')
}
