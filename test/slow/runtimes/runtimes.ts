import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processEnvironment } from '#runtime/environment.ts'
import { cacheFolder } from '#runtime/folders.ts'
import { runProgram } from '../../packages/packed.ts'

/** What programs of other people run under, as npm has it. Kept in the cache between runs. */
const packages = {
  bun: '1.4.5',
  deno: '2.9.6',
  'node-18': 'npm:node@18.20.8',
  'node-20': 'npm:node@20.20.2',
  'node-22': 'npm:node@22.23.3',
  // The oldest under which the service runs.
  'node-22-18': 'npm:node@22.18.0',
}

/** Programs of other people in the cache, by the names and versions that npm has. */
export class InstalledPrograms {
  readonly #folder: string
  readonly #packages: Readonly<Record<string, string>>

  constructor(name: string, packages: Readonly<Record<string, string>>) {
    this.#folder = join(cacheFolder(processEnvironment()), name)
    this.#packages = packages
  }

  /** The path of a file of one of the packages, `node-22/bin/node`. */
  file(name: string): string {
    return join(this.#folder, 'node_modules', name)
  }

  /** Installs the packages, unless they are those in the cache. */
  async install(): Promise<void> {
    const manifest = JSON.stringify({ private: true, dependencies: this.#packages })
    const installed = join(this.#folder, 'installed.json')
    if ((await readFile(installed, 'utf8').catch(() => '')) === manifest) return
    await mkdir(this.#folder, { recursive: true })
    await writeFile(join(this.#folder, 'package.json'), manifest)
    await runProgram('npm', ['install', '--no-audit', '--no-fund'], { cwd: this.#folder })
    await writeFile(installed, manifest)
  }
}

/**
 * Why the registry cannot give what was to be installed; rethrows what is a fault of ours, such as
 * a version that does not exist.
 */
export function unreachable(error: unknown): string {
  const text = String(error)
  const code = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|E403|E5\d\d)\b/.exec(
    text,
  )
  if (code === null) throw error
  return `the registry cannot be reached (${code[0]})`
}

const runtimes = new InstalledPrograms('runtimes', packages)

/** The path of a program of one of the packages, `node-22/bin/node`. */
export function runtimeFile(name: string): string {
  return runtimes.file(name)
}

/** Installs the packages, unless they are those in the cache. */
export function installRuntimes(): Promise<void> {
  return runtimes.install()
}
