import { join } from 'node:path'
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { checkoutFolder } from '../folders.ts'

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

const mapAddress = /\/\/# sourceMappingURL=data:application\/json;[^,\n]*base64,/g

/**
 * The same script in a third of the memory. Its source map keeps positions, and no copy of the
 * sources. What is not Latin-1 is escaped, because V8 keeps a text with one such character in two
 * bytes for each; the process and the thread of the workflows keep a copy each.
 */
export function leanBundle(code: string): string {
  const [address] = [...code.matchAll(mapAddress)].slice(-1)
  if (address === undefined) throw new Error('The bundle of the workflows has no source map')
  const [mark] = address
  const script = code.slice(0, address.index)
  const escaped = escapeBeyondLatin1(script)
  if (/[^\0-\u00FF]/.test(escaped)) return code
  const encoded = code.slice(address.index + mark.length)
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as object
  const withoutSources = JSON.stringify({ ...map, sourcesContent: undefined })
  return `${escaped}${mark}${Buffer.from(withoutSources).toString('base64')}\n`
}

/** The same script in Latin-1; unchanged where a character would mean something else escaped. */
export function escapeBeyondLatin1(script: string): string {
  if (/\\[^\0-\u00FF]/.test(script)) return script
  return script.replaceAll(/[^\0-\u00FF]/g, escapeOf)
}

/** Means the same in a string, a pattern, a name and a comment, except after a backslash. */
function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
