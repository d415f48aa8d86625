import { createHash } from 'node:crypto'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { cacheFolder, checkoutFolder, isPackage } from '../folders.ts'
import { installOnce } from '../embedded/install-once.ts'
import type { Environment } from '../environment.ts'

/**
 * What the bundle is made of: our workflows, the domain they import, and the SDK by its version;
 * this file says how.
 */
const sourceFolders = ['src/workflows', 'src/domain']
/** Where a package has them bundled. */
export const bundleOfPackage = join('dist', 'workflows.js')
const workflowFolder = join(checkoutFolder, 'src', 'workflows')

/**
 * The workflows as one script, made once per content of its sources and kept in the cache: bundling
 * takes seconds, reading milliseconds. A package brings it.
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
    await writeFile(path, (await bundleWorkflows()).code)
  }
  const code = await readFile(await installOnce(target, make, log), 'utf8')
  return { code, sourceMap }
}

/**
 * The workflows as they ship. Their modules hold no state, so they are loaded once and shared by
 * all runs that a worker keeps in memory; otherwise each would have its own (architecture.md,
 * budgets: heap per waiting run).
 */
export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  const { bundleWorkflowCode } = await import('@temporalio/worker')
  const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} }
  const workflowsPath = join(workflowFolder, 'index.ts')
  const preloadModules = [join(workflowFolder, 'short-traces.ts'), workflowsPath]
  return bundleWorkflowCode({
    workflowsPath,
    preloadModules,
    payloadConverterPath: join(workflowFolder, 'payload-converter.ts'),
    workflowInterceptorModules: [join(workflowFolder, 'first-argument.ts')],
    logger: quiet,
  })
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
  hash.update(await readFile(import.meta.filename))
  hash.update(
    await readFile(join(checkoutFolder, 'node_modules', '@temporalio', 'worker', 'package.json')),
  )
  return hash.digest('hex').slice(0, 32)
}
