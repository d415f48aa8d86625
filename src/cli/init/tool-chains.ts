import { join } from 'node:path'
import { readRegularText } from '#sandbox/read-regular-file.ts'
import { namesIn } from '../check/folder-warnings.ts'

/** A language or tool chain, recognised by one of its files. */
export interface ToolChain {
  /** the file that was found, such as `package.json` or `packages/site/package.json` */
  readonly file: string
  /** commands that run code of the folder: `npm test` */
  readonly runs: readonly string[]
  /** commands that fetch dependencies: `npm install` */
  readonly fetches: readonly string[]
}

/** The folders of the packages in a repository that has several. */
const partFolders = ['packages', 'apps', 'services', 'libs', 'crates', 'modules', 'cmd']
const maxParts = 50

/**
 * The tool chains of a folder and of the packages in it. Each command is in the first of them only,
 * because a rule applies in every folder in which its command runs.
 */
export async function findToolChains(dir: string): Promise<ToolChain[]> {
  const names = new Set<string>()
  const isNew = (command: string): boolean => {
    if (names.has(command)) return false
    names.add(command)
    return true
  }
  const manager = packageManager(new Set(await namesIn(dir)))
  const list: ToolChain[] = []
  for (const part of ['', ...(await partsOf(dir))]) {
    for (const chain of await chainsIn(join(dir, part), manager)) {
      const runs = chain.runs.filter(isNew)
      const fetches = chain.fetches.filter(isNew)
      const file = join(part, chain.file)
      if (part === '' || runs.length + fetches.length > 0) list.push({ file, runs, fetches })
    }
  }
  return list
}

/** The folders of the packages in a folder, relative to it. */
export async function partsOf(dir: string): Promise<string[]> {
  const parts: string[] = []
  for (const folder of partFolders) {
    for (const name of await namesIn(join(dir, folder))) parts.push(join(folder, name))
  }
  return parts.slice(0, maxParts)
}

async function chainsIn(dir: string, manager: string): Promise<ToolChain[]> {
  const files = new Set(await namesIn(dir))
  const scripts = files.has('package.json') ? await scriptsOf(join(dir, 'package.json')) : []
  const python = pythonChain(files)
  const chains: readonly ToolChain[] = [
    {
      file: 'package.json',
      runs: ['test', 'lint', 'build']
        .filter((script) => scripts.includes(script))
        .map((script) => (script === 'test' ? `${manager} test` : `${manager} run ${script}`)),
      fetches: [`${manager} install`],
    },
    ...(python === null ? [] : [python]),
    { file: 'go.mod', runs: ['go test', 'go vet', 'go build'], fetches: ['go get'] },
    { file: 'Cargo.toml', runs: ['cargo test', 'cargo build'], fetches: ['cargo add'] },
    { file: 'pom.xml', runs: ['mvn test'], fetches: ['mvn install'] },
    { file: 'build.gradle', runs: ['gradle test', 'gradle build'], fetches: [] },
    { file: 'build.gradle.kts', runs: ['gradle test', 'gradle build'], fetches: [] },
    { file: 'Gemfile', runs: ['bundle exec'], fetches: ['bundle install'] },
    { file: 'composer.json', runs: ['composer test'], fetches: ['composer install'] },
    { file: 'Makefile', runs: ['make'], fetches: [] },
  ]
  return chains.filter(({ file }) => files.has(file))
}

function pythonChain(files: ReadonlySet<string>): ToolChain | null {
  const file = ['pyproject.toml', 'setup.py', 'requirements.txt'].find((name) => files.has(name))
  if (file === undefined) return null
  if (files.has('uv.lock')) return { file, runs: ['uv run pytest'], fetches: ['uv sync', 'uv add'] }
  if (files.has('poetry.lock')) {
    return { file, runs: ['poetry run pytest'], fetches: ['poetry install', 'poetry add'] }
  }
  return { file, runs: ['pytest', 'python -m pytest'], fetches: ['pip install'] }
}

function packageManager(files: ReadonlySet<string>): string {
  if (files.has('pnpm-lock.yaml') || files.has('pnpm-workspace.yaml')) return 'pnpm'
  if (files.has('bun.lock') || files.has('bun.lockb')) return 'bun'
  return files.has('yarn.lock') ? 'yarn' : 'npm'
}

async function scriptsOf(path: string): Promise<string[]> {
  try {
    const { scripts } = JSON.parse(await readRegularText(path)) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  } catch {
    return []
  }
}
