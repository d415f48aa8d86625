import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs that sandboxed commands need, each with the package that brings it. */
const packages: Readonly<Record<string, string>> = {
  bwrap: 'bubblewrap',
  slirp4netns: 'slirp4netns',
  // `ip` closes the way to private addresses.
  ip: 'iproute2',
}

const installWithinMs = 240_000

export interface Host {
  /** folders with programs, as in PATH */
  readonly path: string
  /** whether packages may be installed: as root */
  readonly mayInstall: boolean
  readonly log: (sentence: string) => void
}

/**
 * Installs bubblewrap, slirp4netns and iproute2 if they are missing and may be installed: on Linux,
 * as root, with apt. Returns `null` if all are installed afterwards, else a sentence that says what
 * is missing and what to do.
 */
export function installSandbox(host: Host): string | null {
  if (process.platform !== 'linux') return `commands cannot be sandboxed on ${process.platform}`
  const missing = missingPrograms(host)
  if (missing.length > 0 && host.mayInstall && isOnPath(host, 'apt-get')) {
    const packageNames = packagesOf(missing)
    host.log(`installing ${packageNames.join(' and ')} for commands in a sandbox`)
    // The package lists of apt may be old or empty: they are updated only when an installation
    // fails.
    if (!apt(host, 'install', '--yes', '--no-install-recommends', ...packageNames)) {
      apt(host, 'update')
      apt(host, 'install', '--yes', '--no-install-recommends', ...packageNames)
    }
  }
  const still = missingPrograms(host)
  if (still.length === 0) return null
  return (
    `${still.join(' and ')} cannot be found: install with the system's package manager ` +
    `(apt-get install ${packagesOf(still).join(' ')})`
  )
}

function missingPrograms(host: Host): string[] {
  return Object.keys(packages).filter((name) => !isOnPath(host, name))
}

function packagesOf(programs: readonly string[]): string[] {
  return programs.map((name) => packages[name] ?? name)
}

function isOnPath({ path }: Host, name: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Whether the command succeeded. It may ask no questions, and is ended at a time limit. */
function apt({ path }: Host, ...args: string[]): boolean {
  const waits = ['-o', 'Acquire::Retries=2', '-o', 'DPkg::Lock::Timeout=120']
  const { status } = spawnSync('apt-get', [...waits, ...args], {
    stdio: 'ignore',
    timeout: installWithinMs,
    killSignal: 'SIGKILL',
    env: { ...process.env, PATH: path, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return status === 0
}
