import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { cacheFolder, checkoutFolder, isPackage } from '../folders.ts'
import { installOnce } from '../embedded/install-once.ts'
import type { Environment } from '../environment.ts'
import { hashSources } from '../hash-sources.ts'

/** The bundle's sources: the workflows, the domain they import, the SDK's version, the bundler. */
const sources = {
  folders: ['src/workflows', 'src/domain'],
  files: [
    'src/runtime/temporal/bundle-workflows.ts',
    'node_modules/@temporalio/worker/package.json',
  ],
}
export const bundleOfPackage = join('dist', 'workflows.js')

/**
 * The workflows as one script, made once for each content of its sources and kept in the cache:
 * bundling takes seconds, reading takes milliseconds. A process of its own makes it, because the
 * bundler would keep 100 MiB of this one. A package contains the bundle.
 */
export async function loadWorkflowBundle(
  environment: Environment,
  log: (sentence: string) => void,
): Promise<WorkflowBundleWithSourceMap> {
  const sourceMap = 'inlined in the code'
  if (isPackage) {
    return { code: await readFile(join(checkoutFolder, bundleOfPackage), 'utf8'), sourceMap }
  }
  const hash = hashSources(checkoutFolder, sources).slice(0, 32)
  const target = join(cacheFolder(environment), `workflows-${hash}.js`)
  const make = async (path: string) => {
    const bundler = join(import.meta.dirname, 'bundle-to-file.ts')
    await promisify(execFile)(process.execPath, [bundler, path])
  }
  const code = await readFile(await installOnce(target, make, log), 'utf8')
  return { code, sourceMap }
}
