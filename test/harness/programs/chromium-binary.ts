import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { exists } from '#runtime/files.ts'
import { cacheFolder } from '#runtime/folders.ts'
import { processEnvironment } from '#runtime/environment.ts'

const run = promisify(execFile)

/** A Chromium that starts on this machine, and the environment it needs for that. */
export interface ChromiumBinary {
  path: string
  env: Record<string, string>
}

/**
 * `CHROMIUM_PATH`, else the Chromium inside the npm package `@sparticuz/chromium`, unpacked once
 * (some 10 s, 180 MB) into the user's cache folder under its version.
 *
 * @throws one sentence with what to install when shared libraries are missing.
 */
export async function findChromium(): Promise<ChromiumBinary> {
  const chosenPath = process.env['CHROMIUM_PATH']
  if (chosenPath) return { path: chosenPath, env: {} }
  const folder = await unpackChromium()
  const path = join(folder, 'chromium')
  const env: Record<string, string> = { FONTCONFIG_FILE: join(folder, 'fonts.conf') }
  if ((await missingLibraries(path, {})).length === 0) return { path, env }
  env['LD_LIBRARY_PATH'] = join(folder, 'al2023', 'lib')
  const missing = await missingLibraries(path, env)
  if (missing.length === 0) return { path, env }
  throw new Error(
    `Chromium for the browser tests lacks ${missing.join(', ')}: install them ` +
      `(Debian, Ubuntu: apt-get install libnss3 libexpat1) or set CHROMIUM_PATH to a Chromium.`,
  )
}

/**
 * The folder with the unpacked package; written beside and renamed, so that it is whole or absent.
 */
async function unpackChromium(): Promise<string> {
  const version = await packageVersion()
  const cache = cacheFolder(processEnvironment())
  const folder = join(cache, `chromium-${version}`)
  if (await exists(folder)) return folder
  await mkdir(cache, { recursive: true })
  const staging = await mkdtemp(join(cache, 'chromium-unpacking-'))
  try {
    // The package unpacks into its temporary folder, and its libraries only where it thinks it is
    // on Lambda.
    const env = { ...process.env, TMPDIR: staging, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' }
    const program = `import c from '@sparticuz/chromium'; await c.executablePath()`
    await run(process.execPath, ['--input-type=module', '--eval', program], { env })
    await writeFile(join(staging, 'fonts.conf'), fontConfiguration(folder))
    await rename(staging, folder)
  } catch (error) {
    if (!(await exists(folder))) throw error
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return folder
}

async function packageVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const manifest = await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return version
}

async function missingLibraries(path: string, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await run('ldd', [path], { env: { ...process.env, ...env } })
  return [...stdout.matchAll(/(\S+) => not found/g)].map((match) => match[1] ?? '')
}

/** Machines without fonts get the package's own, so that pages have a width everywhere. */
function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`
}
