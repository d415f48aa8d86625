import { registerHooks } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { replaceAddonLoading } from './load-addon.ts'
import { RecordedModules, type ModuleRecord } from './recorded-modules.ts'

/**
 * A tool process, and each thread that tools start in it, loads this before any other module.
 * `countersign`, `@countersign/tools`, `zod` and `ai` are the service's own copies, wherever the
 * project is. Every other module is loaded with the bytes that the policy version recorded, or
 * refused (security.md 36).
 */
const servicePackages = /^(countersign|@countersign\/tools|zod|ai)(\/|$)/
/** Two names of one module. */
const sameAs = new Map([['@countersign/tools', 'countersign']])
const serviceSource = new URL('../../../', import.meta.url).href
const key = 'countersign: recorded modules'

/** addresses that the service's modules import: packages perhaps in the project's folder */
const ours = new Set<string>()
let modules: RecordedModules | null = null

const inherited = getEnvironmentData(key) as ModuleRecord | undefined
if (inherited !== undefined) modules = new RecordedModules(inherited)

/** From here on, also in threads that are started later, only recorded modules are loaded. */
export function loadOnlyRecorded(recorded: ModuleRecord): void {
  setEnvironmentData(key, { projectDir: recorded.projectDir, hashes: { ...recorded.hashes } })
  modules = new RecordedModules(recorded)
  modules.checkScope()
}

/** Address of a file of the project, without following links. */
export function projectUrl(projectDir: string, file: string): string {
  return pathToFileURL(path.join(projectDir, file)).href
}

registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL ?? import.meta.url
    const isProjects = !isOurs(parent)
    if (isProjects && (!servicePackages.test(specifier) || parent.includes('/node_modules/'))) {
      return next(specifier, context)
    }
    const parentURL = isProjects ? import.meta.url : parent
    const ownName = (isProjects ? sameAs.get(specifier) : undefined) ?? specifier
    const resolved = next(ownName, { ...context, parentURL })
    // A whole address in the service's own modules is a tool's file.
    if (!specifier.startsWith('file:')) ours.add(resolved.url)
    return resolved
  },
  load(url, context, next) {
    if (modules === null || !url.startsWith('file:') || isOurs(url)) return next(url, context)
    const file = fileURLToPath(url)
    const isAddon = file.endsWith('.node')
    // An addon's bytes are read when it is opened.
    const source = isAddon ? null : modules.bytesOf(file)
    const format = modules.packageOf(file) === null ? formatOf(file) : null
    if (format !== null && source !== null) return { format, source, shortCircuit: true }
    const loaded = next(url, context)
    return source === null ? loaded : { ...loaded, source, shortCircuit: true }
  },
})
replaceAddonLoading((file) => (isOurs(pathToFileURL(file).href) ? null : modules))

function isOurs(url: string): boolean {
  return url.startsWith(serviceSource) || ours.has(url)
}

function formatOf(file: string): string | null {
  if (/\.m?ts$/.test(file)) return 'module-typescript'
  return /\.m?js$/.test(file) ? 'module' : null
}
