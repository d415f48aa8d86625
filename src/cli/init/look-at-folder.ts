import { readdir } from 'node:fs/promises'
import { findToolChains, type ToolChain } from './tool-chains.ts'

/** What lies in a folder, as far as it bears on zones and rules. Names as they stand there. */
export interface FolderFacts {
  readonly isGit: boolean
  readonly toolChains: readonly ToolChain[]
  /** folders of documents: edited, not deleted */
  readonly documents: readonly string[]
  /** folders of what others wrote: read, not changed */
  readonly dependencies: readonly string[]
  /** folders that describe what runs elsewhere: high risk */
  readonly infrastructure: readonly string[]
}

const documentFolders = ['docs', 'doc', 'documentation', 'notes']
const dependencyFolders = ['node_modules', 'vendor', '.venv', 'venv']
const infrastructureFolders = ['infra', 'infrastructure', 'terraform', 'deploy', 'k8s', 'helm']

/** Looks at the names in a folder, and into its package.json files. Nothing else is read, and nothing is run. */
export async function lookAtFolder(dir: string): Promise<FolderFacts> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  const folders = new Set(entries.filter((one) => one.isDirectory()).map((one) => one.name))
  const among = (names: readonly string[]): string[] =>
    [...folders].filter((name) => names.includes(name.toLowerCase())).toSorted(byText)
  return {
    // In a worktree or submodule `.git` is a file.
    isGit: folders.has('.git') || files.has('.git'),
    toolChains: await findToolChains(dir),
    documents: among(documentFolders),
    dependencies: among(dependencyFolders),
    infrastructure: among(infrastructureFolders),
  }
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1
}
