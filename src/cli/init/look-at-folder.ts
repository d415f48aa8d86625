import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A language or tool chain, by a file that tells it. */
export interface ToolChain {
  /** the file that was found, such as `package.json` */
  readonly file: string
  /** commands that run code of the folder: `npm test` */
  readonly runs: readonly string[]
  /** commands that fetch what others wrote: `npm install` */
  readonly fetches: readonly string[]
}

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

/** Looks at the names in a folder, and into package.json. Nothing else is read, and nothing is run. */
export async function lookAtFolder(dir: string): Promise<FolderFacts> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  const folders = new Set(entries.filter((one) => one.isDirectory()).map((one) => one.name))
  const among = (names: readonly string[]): string[] => names.filter((name) => folders.has(name))
  return {
    // In a worktree or submodule `.git` is a file.
    isGit: folders.has('.git') || files.has('.git'),
    toolChains: await toolChainsOf(dir, files),
    documents: among(documentFolders),
    dependencies: among(dependencyFolders),
    infrastructure: among(infrastructureFolders),
  }
}

async function toolChainsOf(dir: string, files: ReadonlySet<string>): Promise<ToolChain[]> {
  const found: ToolChain[] = []
  const add = (file: string, runs: readonly string[], fetches: readonly string[]): void => {
    if (files.has(file)) found.push({ file, runs, fetches })
  }
  const manager = packageManager(files)
  const scripts = files.has('package.json') ? await scriptsOf(join(dir, 'package.json')) : []
  const runs = ['test', 'lint', 'build'].filter((script) => scripts.includes(script))
  add(
    'package.json',
    runs.map((script) => (script === 'test' ? `${manager} test` : `${manager} run ${script}`)),
    [`${manager} install`],
  )
  add('pyproject.toml', ['pytest', 'python -m pytest'], ['pip install'])
  add('go.mod', ['go test', 'go vet', 'go build'], ['go get'])
  add('Cargo.toml', ['cargo test', 'cargo build'], ['cargo add'])
  add('Makefile', ['make'], [])
  return found
}

function packageManager(files: ReadonlySet<string>): string {
  if (files.has('pnpm-lock.yaml')) return 'pnpm'
  return files.has('yarn.lock') ? 'yarn' : 'npm'
}

async function scriptsOf(path: string): Promise<string[]> {
  try {
    const { scripts } = JSON.parse(await readFile(path, 'utf8')) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  } catch {
    return []
  }
}
