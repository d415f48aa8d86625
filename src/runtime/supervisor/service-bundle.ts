import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorMessage } from '#domain/error-message.ts'
import { installOnce } from '../embedded/install-once.ts'
import { entryFile, isPackage } from '../folders.ts'
import { hashSources, stateOfSources } from '../hash-sources.ts'

/** A running service says once an hour that it uses its bundle; a host may sleep meanwhile. */
const hourMs = 3_600_000
const unusedMs = 48 * hourMs
/** So many stay, however long ago they were used. */
const maxUnused = 5

/** The folder with the bundles of a checkout. */
export const serviceBundles = join('dist', 'service')

/** The bundles with which this process has started others. */
const bundlesInUse = new Set<string>()

/**
 * Libraries that become part of the bundle: `package.json` pins their version, and they have no
 * dependencies of their own, so that an installation would get the same bytes.
 */
export const bundledLibraries: ReadonlySet<string> = new Set([
  'diff',
  'kysely',
  're2js',
  'unbash',
  'yaml',
])

/** The files with the versions of these libraries and of the bundler. */
const versions = {
  folders: [],
  files: [...bundledLibraries, 'rolldown'].map((name) => `node_modules/${name}/package.json`),
}

/** The sources of the bundle. The threads and programs beside them stay as they are. */
export const serviceSources = {
  folders: ['src', 'packages/client/src', 'packages/tools/src'],
  /** No command imports it. */
  apart: ['src/ui'],
  files: [
    'package.json',
    'package-lock.json',
    'scripts/bundle-service.ts',
    'scripts/packages/bundle-service.ts',
  ],
}

interface EntryOptions {
  /** the folder of the checkout, or of the package */
  readonly checkout: string
  readonly say: (sentence: string) => void
  readonly stop?: AbortSignal
}

/**
 * The file with which `countersign start` runs its API and Temporal workers: the service in a few
 * files, which need a quarter less memory than the sources (Temporal workers: a tenth) and load in
 * two thirds of the time (bench/README.md). It is made once for each state of the sources and
 * libraries. A checkout in which it cannot be made runs the sources, after a sentence for the
 * person at the terminal. `stop` ends the bundling, and the wait for another start that bundles:
 * then it rejects. A package runs its modules.
 */
export async function serviceEntry({ checkout, say, stop }: EntryOptions): Promise<string> {
  const bundles = join(checkout, serviceBundles)
  if (isPackage) return entryFile
  try {
    const folder = join(bundles, bundleName(checkout))
    const make = async (half: string): Promise<void> => {
      // In a process of its own: the bundler would keep 100 MiB of this one.
      const args = [join(checkout, 'scripts', 'bundle-service.ts'), half, folder]
      const options = { cwd: checkout, signal: stop }
      const bundling = promisify(execFile)(process.execPath, args, options)
      const { child } = bundling
      try {
        await bundling
      } finally {
        // A stop rejects at once: until the process has ended, it writes into a folder to remove.
        const isRunning = child.exitCode === null && child.signalCode === null
        if (child.pid !== undefined && isRunning) await once(child, 'exit')
      }
    }
    await installOnce(folder, make, say, stop)
    await recordBundleUse(folder)
    if (!bundlesInUse.has(folder)) {
      bundlesInUse.add(folder)
      setInterval(() => void recordBundleUse(folder), hourMs).unref()
    }
    await removeUnused(bundles, new Date()).catch(() => undefined)
    return join(folder, 'main.js')
  } catch (error) {
    stop?.throwIfAborted()
    say(`The service runs its sources: they could not be bundled.\n${errorMessage(error)}`)
    return entryFile
  }
}

/**
 * The name of the bundle of this checkout. The lock file alone would not do: it names libraries
 * that `npm ci` has yet to install.
 */
export function bundleName(checkout: string): string {
  const libraries = hashSources(checkout, versions).slice(0, 8)
  return `${stateOfSources(checkout, serviceSources)}-${libraries}`
}

/** Without effect where the bundle is another user's, or may not be written: it serves as well. */
export async function recordBundleUse(folder: string): Promise<void> {
  const now = new Date()
  await utimes(folder, now, now).catch(() => undefined)
}

/**
 * Removes the bundles that no service used for two days, except the five that were used last. A
 * service loads parts of its own late.
 */
export async function removeUnused(bundles: string, now: Date): Promise<void> {
  const places = (await readdir(bundles)).map(async (name) => {
    const folder = join(bundles, name)
    return { folder, usedAtMs: (await stat(folder)).mtimeMs }
  })
  const unused = (await Promise.all(places))
    .filter(({ usedAtMs }) => now.getTime() - usedAtMs >= unusedMs)
    .toSorted((one, other) => other.usedAtMs - one.usedAtMs)
  for (const { folder } of unused.slice(maxUnused)) {
    await rm(folder, { recursive: true, force: true })
  }
}
