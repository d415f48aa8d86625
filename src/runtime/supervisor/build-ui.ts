import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters, promisify } from 'node:util'
import { checkoutFolder, isPackage } from '../folders.ts'
import { hashSources } from '../hash-sources.ts'
import { whileHolding } from '../processes/hold-file.ts'
import { brotliCompress, constants, gzip } from 'node:zlib'

const builtFolder = join(checkoutFolder, 'dist', 'ui')
/**
 * Sources of the dashboard and the documentation. Of `src/api` only types are taken, which leave
 * nothing in the result.
 */
export const dashboardSources = {
  folders: ['src/ui', 'src/client', 'src/domain', 'scripts/docs-site', 'docs'],
  files: [
    'vite.config.ts',
    'scripts/build-service-worker.ts',
    'scripts/preload-fonts.ts',
    'package-lock.json',
  ],
}
const stampFile = '.source'
const maxLines = 8

/** Whether the built dashboard is that of this checkout's sources; a package has its own. */
export async function isUiBuilt(): Promise<boolean> {
  if (isPackage) return true
  const stamp = await stampOf(builtFolder)
  return stamp !== '' && stamp === hashSources(checkoutFolder, dashboardSources)
}

/**
 * Builds the dashboard into a temporary folder, which is renamed to `dist/ui`, so that concurrent
 * starts in one checkout see no incomplete one. Of concurrent builds of the same sources the first
 * one stays. Throws with the builder's last lines.
 */
export async function buildUi(): Promise<void> {
  const stamp = hashSources(checkoutFolder, dashboardSources)
  const half = `${builtFolder}.${randomBytes(4).toString('hex')}`
  const vite = join(checkoutFolder, 'node_modules', 'vite', 'bin', 'vite.js')
  try {
    const places = ['--outDir', half, '--emptyOutDir']
    const { code, output } = await runToEnd([vite, 'build', ...places, '--logLevel', 'warn'])
    if (code !== 0) {
      const lines = stripVTControlCharacters(output).trim().split('\n')
      const first = lines.slice(0, maxLines).join('\n')
      throw new Error(`the dashboard could not be built:\n${first}`)
    }
    await compressFiles(half)
    await writeFile(join(half, stampFile), stamp)
    await putInPlace(half, builtFolder)
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/**
 * Moves a built dashboard to `folder`, unless one of the same sources is there: another start has
 * begun to serve that one. An earlier one is moved away whole, and removed after that.
 */
export async function putInPlace(built: string, folder: string): Promise<void> {
  const stamp = await stampOf(built)
  const earlier = `${built}.earlier`
  try {
    // Without a lock, a build could move away what another one of its sources has just put there.
    await whileHolding({ file: `${folder}.lock`, waitMs: 30_000 }, async () => {
      if ((await stampOf(folder)) === stamp) return
      await rename(folder, earlier).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      await rename(built, folder)
    })
  } finally {
    await rm(earlier, { recursive: true, force: true })
  }
}

/** The hash of the sources of a built dashboard; empty where there is none. */
function stampOf(folder: string): Promise<string> {
  return readFile(join(folder, stampFile), 'utf8').catch(() => '')
}

/** As {@link buildUi}, in another process: compressing would keep 60 MiB of this one. */
export async function buildUiAside(): Promise<void> {
  const { code, output } = await runToEnd([join(checkoutFolder, 'scripts', 'build.ts')])
  if (code === 0) return
  const ending = code === null ? 'was killed' : `ended with ${code}`
  throw new Error(output.trim() || `the dashboard could not be built: the build ${ending}`)
}

/** Runs a program of Node. Returns its exit code, and everything it has printed. */
async function runToEnd(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: checkoutFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listen = (chunk: Buffer) => (output = output + chunk.toString('utf8'))
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

const compressed = /\.(?:js|css|html|svg|json|webmanifest|txt|md)$/
/** Below this size the headers of an answer are as long as the saving. */
const leastBytes = 512

/** Writes `NAME.br` and `NAME.gz` beside each text file that becomes smaller by it. */
export async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile() || !compressed.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    if (bytes.length < leastBytes) continue
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
    await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
  }
}
