import { join } from 'node:path'
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { checkoutFolder } from '../folders.ts'
import { leanBundle } from './lean-bundle.ts'

const workflowFolder = join(checkoutFolder, 'src', 'workflows')

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
  const bundle = await bundleWorkflowCode({
    workflowsPath,
    preloadModules,
    payloadConverterPath: join(workflowFolder, 'payload-converter.ts'),
    workflowInterceptorModules: [join(workflowFolder, 'first-argument.ts')],
    logger: quiet,
  })
  return { ...bundle, code: leanBundle(bundle.code) }
}
