import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { CHECKOUT } from '../folders.ts'

const BUILT = join(CHECKOUT, 'dist', 'ui')
/** What ends up in the dashboard; of `src/api` it takes types only, which leave nothing behind. */
const COMPILED = [join('src', 'ui'), join('src', 'domain')]
const STAMP = '.source'
const MOST_LINES = 8

/** Whether the built dashboard is that of the sources in this checkout. */
export async function isUiBuilt(): Promise<boolean> {
  const stamp = await readFile(join(BUILT, STAMP), 'utf8').catch(() => '')
  return stamp !== '' && stamp === (await hashSources())
}

/**
 * Build the dashboard into `dist/ui`, beside its place first and then renamed, so that two starts
 * in one checkout do not see half of one. Throws with the builder's last lines.
 */
export async function buildUi(): Promise<void> {
  const stamp = await hashSources()
  const half = `${BUILT}.${randomBytes(4).toString('hex')}`
  const vite = join(CHECKOUT, 'node_modules', 'vite', 'bin', 'vite.js')
  try {
    await runToEnd(process.execPath, [
      vite,
      'build',
      '--outDir',
      half,
      '--emptyOutDir',
      '--logLevel',
      'warn',
    ])
    await writeFile(join(half, STAMP), stamp)
    await rm(BUILT, { recursive: true, force: true })
    await rename(half, BUILT).catch(async (error: unknown) => {
      if (!(await isUiBuilt())) throw error
    })
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  const files: string[] = []
  for (const folder of COMPILED) {
    const entries = await readdir(join(CHECKOUT, folder), { recursive: true, withFileTypes: true })
    const sources = entries
      .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
      .map((entry) => join(entry.parentPath, entry.name))
    files.push(...sources.toSorted())
  }
  for (const file of [
    ...files,
    join(CHECKOUT, 'vite.config.ts'),
    join(CHECKOUT, 'package-lock.json'),
  ]) {
    hash
      .update(`${file.slice(CHECKOUT.length)}\0`)
      .update(await readFile(file))
      .update('\0')
  }
  return hash.digest('hex')
}

async function runToEnd(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, {
    cwd: CHECKOUT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const listen = (chunk: Buffer) => (said = said + chunk.toString('utf8'))
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0)
    throw new Error(
      `the dashboard could not be built:\n${stripVTControlCharacters(said).trim().split('\n').slice(0, MOST_LINES).join('\n')}`,
    )
}
