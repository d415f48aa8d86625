import { readdir, stat, realpath } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { readRegularText } from '#sandbox/read-regular-file.ts'
import { configFile } from '#policy/names/own-files.ts'
import { splitFrontMatter } from '#policy/worker/front-matter.ts'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { hostGitText, type GitRun } from '#sandbox/worktrees/host-git.ts'
import { openRepository, remotesOf, worktreeBaseIn } from '#sandbox/worktrees/repository.ts'
import { namesIn } from '../check/folder-warnings.ts'
import { findToolChains, partsOf, type ToolChain } from './tool-chains.ts'

/** The contents of a folder on which zones and rules depend, by their names in it. */
export interface FolderFacts {
  readonly isGit: boolean
  /** `null`: the folder is no repository */
  readonly worktrees: WorktreeFacts | null
  /** the top of a repository that contains the folder; `null`: none, or the folder is the top */
  readonly around: string | null
  readonly toolChains: readonly ToolChain[]
  /** folders of documents: edited, not deleted */
  readonly documents: readonly string[]
  /** folders with dependencies: read, not changed */
  readonly dependencies: readonly string[]
  /** folders with the configuration of other systems: high risk */
  readonly infrastructure: readonly string[]
}

const documentFolders = ['docs', 'doc', 'documentation', 'notes']
const dependencyFolders = ['node_modules', 'vendor', '.venv', 'venv']
const infrastructureFolders = ['infra', 'infrastructure', 'terraform', 'deploy', 'k8s', 'helm']

/**
 * Reads the names in a folder, its package.json files and its last commit. It executes nothing of
 * the folder.
 */
export async function lookAtFolder(dir: string): Promise<FolderFacts> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  const folders = new Set(entries.filter((one) => one.isDirectory()).map((one) => one.name))
  const among = (names: readonly string[]): string[] =>
    [...folders].filter((name) => names.includes(name.toLowerCase())).toSorted(byText)
  // In a worktree or submodule `.git` is a file.
  const isGit = folders.has('.git') || files.has('.git')
  const dependencies = among(dependencyFolders)
  return {
    isGit,
    worktrees: isGit
      ? await lookAtRepository(dir, [...dependencies, ...(await dependenciesOfParts(dir))])
      : null,
    around: isGit ? null : await repositoryAround(dir),
    toolChains: await findToolChains(dir),
    documents: among(documentFolders),
    dependencies,
    infrastructure: among(infrastructureFolders),
  }
}

async function dependenciesOfParts(dir: string): Promise<string[]> {
  const paths: string[] = []
  for (const part of await partsOf(dir)) {
    const entries = await readdir(join(dir, part), { withFileTypes: true }).catch(() => [])
    const folders = entries.filter((one) => one.isDirectory()).map(({ name }) => name)
    paths.push(...dependencyFolders.filter((name) => folders.includes(name)).map(within(part)))
  }
  return paths
}

function within(folder: string): (name: string) => string {
  return (name) => `${folder}/${name}`
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1
}

/**
 * A file that would become a part of the project although it was written for something else: code
 * in tools/, which would be loaded, or a page in workers/. `null`: there is none, or the folder is
 * a project already.
 */
export async function foreignFile(dir: string): Promise<string | null> {
  const top = await namesIn(dir)
  if (top.includes(configFile)) return null
  const code = (await namesIn(join(dir, 'tools'))).find((name) => /\.[cm]?[jt]s$/.test(name))
  if (code !== undefined) return `tools/${code}`
  for (const name of await namesIn(join(dir, 'workers'))) {
    if (!name.endsWith('.md')) continue
    const text = await readRegularText(join(dir, 'workers', name)).catch(() => '')
    if (splitFrontMatter(text) === null) return `workers/${name}`
  }
  return null
}

/** Whether each run can have a worktree (product.md 35), or why not. */
type WorktreeFacts =
  | {
      readonly possible: true
      /** names of remotes */
      readonly remotes: readonly string[]
      /** folders of dependencies that are not committed; each worktree gets a copy of them */
      readonly copy: readonly string[]
    }
  /** as the end of a sentence */
  | { readonly possible: false; readonly problem: string }

/**
 * Whether a run in a worktree would have the same files as a run in the folder. `dependencies`: the
 * folders of dependencies, relative to it.
 */
async function lookAtRepository(
  dir: string,
  dependencies: readonly string[],
): Promise<WorktreeFacts> {
  const no = (problem: string): WorktreeFacts => ({ possible: false, problem })
  const base = await worktreeBaseIn(dir, null)
  if ('problem' in base) return no(base.problem)
  const repository = await openRepository(await realpath(dir))
  const git: GitRun = { gitDir: repository.checkoutGitDir, cwd: dir }
  const tree = async (...words: string[]): Promise<readonly string[]> =>
    (await hostGitText(['ls-tree', '-z', '--name-only', base.baseCommit, ...words], git))
      .split('\0')
      .filter((name) => name !== '')
  const committed = await tree('--', '.gitmodules', ...dependencies)
  const copy = dependencies.filter((name) => !committed.includes(name))
  if (committed.includes('.gitmodules')) return no('its submodules would be empty in them')
  if (await hasFilters(dir)) return no('its filters, such as those of Git LFS, do not run for them')
  const sandbox = await findSandbox('bwrap')
  if (!sandbox.works) return no(`no command could commit in them: ${sandbox.problem}`)
  return { possible: true, remotes: Object.keys(await remotesOf(repository)), copy }
}

async function hasFilters(dir: string): Promise<boolean> {
  const text = await readRegularText(join(dir, '.gitattributes')).catch(() => '')
  return text.split('\n').some((line) => /^[^#].*\sfilter=/.test(line))
}

/** The top of a repository that contains `dir`; `null`: there is none. */
async function repositoryAround(dir: string): Promise<string | null> {
  for (let at = dirname(dir); ; at = dirname(at)) {
    if ((await stat(join(at, '.git')).catch(() => null)) !== null) return at
    if (at === dirname(at)) return null
  }
}
