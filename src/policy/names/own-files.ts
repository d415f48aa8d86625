import { relative, resolve } from 'node:path'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { parseModelName } from '../worker/model-name.ts'
import { foldName, foldPath } from './fold-name.ts'
import { words } from './words.ts'

/** The name of the file that `parseProject` reads first. */
export const configFile = 'countersign.yaml'

/** Folders that no zone can open for writing; the first is the data folder. */
const folders = new Set(words('.countersign workers tools node_modules'))

/** Those that an agent must not create either: the service reads files that appear in them. */
export const foldersToKeep: readonly string[] = words('workers tools node_modules')

/**
 * Files beside countersign.yaml that decide what code the tools are, or that make the service read
 * it again.
 */
const files = new Set([
  configFile,
  ...words(`
    package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml
    bun.lock bun.lockb .pnp.cjs .pnp.loader.mjs`),
])

/** The parts of a policy that determine which files are Countersign's own. */
export interface OwnFilesPolicy {
  readonly config: {
    readonly workspaces: ReadonlyMap<string, { readonly root?: string | undefined }>
    readonly workspace?: string
  }
  readonly workers: ReadonlyMap<string, { readonly model: string }>
  readonly toolFiles: readonly { readonly path: string }[]
}

/**
 * The name of Countersign's own file at a workspace path, or `null`: no zone can permit an agent to
 * write these (security.md 8). Usual names count only in the project folder, wherever the workspace
 * is; packages that tools load, and the package.json that selects them, count everywhere (36).
 */
export function ownFile(policy: OwnFilesPolicy, projectDir: string, path: string): string | null {
  const root = workspaceRoot(policy)
  const inProject = relative(projectDir, resolve(projectDir, root, path))
  const components = inProject.split('/').map(foldName)
  const name = components[0] ?? ''
  if (folders.has(name)) return `${name}/`
  const folded = components.join('/')
  if (files.has(folded)) return folded
  const named = namedBy(policy)
  for (let length = 1; length <= components.length; length += 1) {
    const match = named.get(components.slice(0, length).join('/'))
    if (match !== undefined && (match.endsWith('/') || length === components.length)) return match
  }
  return null
}

/** The root of the workspace in which paths are judged, as countersign.yaml writes it. */
export function workspaceRoot({ config }: Pick<OwnFilesPolicy, 'config'>): string {
  return config.workspaces.get(config.workspace ?? defaultWorkspace)?.root ?? '.'
}

const namedByPolicy = new WeakMap<OwnFilesPolicy, ReadonlyMap<string, string>>()

/** Scripts, recorded packages and package.json of a version, by their folded paths. */
function namedBy(policy: OwnFilesPolicy): ReadonlyMap<string, string> {
  const names = namedByPolicy.get(policy)
  if (names !== undefined) return names
  const paths = [...scriptsOf(policy), ...policy.toolFiles.map((file) => file.path)]
  const named = new Map(
    paths.map((path) => [foldPath(path.replace(/\/$/, '')).join('/'), path] as const),
  )
  namedByPolicy.set(policy, named)
  return named
}

function scriptsOf(policy: OwnFilesPolicy): string[] {
  return [...policy.workers.values()].flatMap((worker) => {
    const model = parseModelName(worker.model)
    return model?.kind === 'script' ? [model.path] : []
  })
}
