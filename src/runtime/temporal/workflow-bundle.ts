import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { cacheFolder, checkoutFolder, isPackage } from '../folders.ts'
import { installOnce } from '../embedded/install-once.ts'
import type { Environment } from '../environment.ts'

/**
 * What the bundle is made of: our workflows, the domain they import, and the SDK by its version;
 * `bundle-workflows.ts` says how.
 */
const sourceFolders = ['src/workflows', 'src/domain']
export const bundleOfPackage = join('dist', 'workflows.js')

/**
 * The workflows as one script, made once per content of its sources and kept in the cache: bundling
 * takes seconds, reading milliseconds. A process of its own makes it: the bundler would keep
 * 100 MiB of this one. A package brings it.
 */
export async function loadWorkflowBundle(
  environment: Environment,
  log: (sentence: string) => void,
): Promise<WorkflowBundleWithSourceMap> {
  const sourceMap = 'inlined in the code'
  if (isPackage) {
    return { code: await readFile(join(checkoutFolder, bundleOfPackage), 'utf8'), sourceMap }
  }
  const target = join(cacheFolder(environment), `workflows-${await hashSources()}.js`)
  const make = async (path: string) => {
    const bundler = join(import.meta.dirname, 'bundle-to-file.ts')
    await promisify(execFile)(process.execPath, [bundler, path])
  }
  const code = await readFile(await installOnce(target, make, log), 'utf8')
  return { code, sourceMap }
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of sourceFolders) {
    const entries = await readdir(join(checkoutFolder, folder), {
      recursive: true,
      withFileTypes: true,
    })
    const files = entries
      .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
    for (const file of files) {
      hash
        .update(`${file.slice(checkoutFolder.length)}\0`)
        .update(await readFile(file))
        .update('\0')
    }
  }
  hash.update(await readFile(join(import.meta.dirname, 'bundle-workflows.ts')))
  hash.update(
    await readFile(join(checkoutFolder, 'node_modules', '@temporalio', 'worker', 'package.json')),
  )
  return hash.digest('hex').slice(0, 32)
}
