import { parseObject } from '#domain/json/parse-json.ts'
import { areTooManyFilesOpen } from '#domain/too-many-files.ts'
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { readRegularFileSync } from '#sandbox/read-regular-file.ts'

/** The service's own copies replace these in the project's files (workers-and-policy.md). */
const servicePackages = new Set(['countersign', '@countersign/tools', 'zod', 'ai'])
const code = /\.[mc]?[jt]sx?$/
const packageName = String.raw`(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*`
/** A quoted text that could be an import: a package's name, perhaps with a path in it. */
const quoted = new RegExp(String.raw`(['"\`])(${packageName})(?:\/[^'"\`\n]*)?\1`, 'gi')

/**
 * The packages that a project's tools can load. Their names are in quotes in one of `toolFiles`
 * (relative paths), or among the `imports` of the package.json. Their dependencies are included.
 * Real, absolute folders. Nothing is run; loading a package that no file names is refused.
 */
export function reachablePackages(
  projectDir: string,
  toolFiles: readonly string[],
  importsText: string,
): readonly string[] {
  const starts: PackageName[] = []
  for (const file of toolFiles.filter((toolFile) => code.test(toolFile))) {
    const at = path.join(projectDir, file)
    for (const name of possiblePackages(textOf(at))) {
      if (!servicePackages.has(name)) starts.push({ name, from: path.dirname(at) })
    }
  }
  for (const name of possiblePackages(importsText)) starts.push({ name, from: projectDir })
  return packagesBehind(starts)
}

/** A package's name, and the folder from which Node searches for it. */
export interface PackageName {
  readonly name: string
  readonly from: string
}

/** The real folders of these packages and of their dependencies; those not found are left out. */
export function packagesBehind(starts: readonly PackageName[]): readonly string[] {
  const folders = new Set<string>()
  const queue: string[] = []
  const add = ({ name, from }: PackageName): void => {
    const folder = packageFolder(name, from)
    if (folder === null || folders.has(folder)) return
    folders.add(folder)
    queue.push(folder)
  }
  for (const start of starts) add(start)
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const name of dependenciesOf(folder)) add({ name, from: folder })
  }
  return [...folders].toSorted()
}

/** The quoted words of a code file that could be names of packages. */
export function possiblePackages(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(quoted)].map(([, , name]) => name ?? ''))
}

/** The folder of a package from another folder, by Node's search. */
function packageFolder(name: string, from: string): string | null {
  for (let at = from; ; at = path.dirname(at)) {
    if (path.basename(at) !== 'node_modules') {
      try {
        return realpathSync(path.join(at, 'node_modules', name))
      } catch {
        // Not found: Node searches further up.
      }
    }
    if (path.dirname(at) === at) return null
  }
}

function textOf(file: string): string {
  return readRegularFileSync(file)?.toString('utf8') ?? ''
}

function dependenciesOf(folder: string): readonly string[] {
  try {
    return dependenciesIn(textOf(path.join(folder, 'package.json')))
  } catch (error) {
    if (areTooManyFilesOpen(error)) throw error
    return []
  }
}

/** The packages that a package.json says it may load; none for another text. */
export function dependenciesIn(text: string): readonly string[] {
  const manifest = parseObject(text) ?? {}
  const keys = [
    'dependencies',
    'optionalDependencies',
    'peerDependencies',
    'peerDependenciesMeta',
  ] as const
  return keys.flatMap((key) => {
    const value: unknown = Reflect.get(manifest, key)
    return typeof value === 'object' && value !== null ? Object.keys(value) : []
  })
}
