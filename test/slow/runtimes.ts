import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processEnvironment } from '#runtime/environment.ts'
import { cacheFolder } from '#runtime/folders.ts'
import { runProgram } from '../packages/packed.ts'

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
const folder = join(cacheFolder(processEnvironment()), 'runtimes')

/** The path of a program of one of the packages, `node-22/bin/node`. */
export function runtimeFile(name: string): string {
  return join(folder, 'node_modules', name)
}

/** Installs the packages, unless they are those in the cache. */
export async function installRuntimes(): Promise<void> {
  const wanted = JSON.stringify({ private: true, dependencies: packages })
  const installed = join(folder, 'installed.json')
  if ((await readFile(installed, 'utf8').catch(() => '')) === wanted) return
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), wanted)
  await runProgram('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
  await writeFile(installed, wanted)
}
