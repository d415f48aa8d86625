import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { buildHook } from './build-hook.ts'
import { runStep } from '../testing/run-steps.ts'

const root = join(import.meta.dirname, '..', '..')

/** The output limit of npm, which lists each file of a package. */
const maxOutput = 64 * 1024 * 1024
const copyAnew = { recursive: true, force: true }

/** Folder names of the packages that adapt a framework: they are compiled against the client. */
export const adapterPackages = [
  'ai-sdk',
  'openai-agents',
  'langchain',
  'mastra',
  'temporal',
] as const

/** Folder names in `packages/` of the published packages, each after those that it needs. */
export const publishedPackages = ['client', 'tools', 'hook', ...adapterPackages] as const

/** The folder of a published package. Throws for another name. */
export function packageFolder(name: string): string {
  if (!(publishedPackages as readonly string[]).includes(name)) {
    throw new Error(`no package "${name}": there is ${publishedPackages.join(', ')}`)
  }
  return join(root, 'packages', name)
}

/**
 * Compiles a package into its `dist`: the hook as one file, others as ES modules in `esm` and
 * CommonJS in `cjs`, each with type declarations and source maps. Throws with the output of the
 * compiler.
 */
export async function buildPackage(name: string): Promise<void> {
  const folder = packageFolder(name)
  if (name === 'hook') return buildHook(folder)
  const isAdapter = (adapterPackages as readonly string[]).includes(name)
  if (isAdapter && !existsSync(join(packageFolder('client'), 'dist'))) await buildPackage('client')
  await rm(join(folder, 'dist'), { recursive: true, force: true })
  for (const format of ['esm', 'cjs']) {
    const args = ['-p', join(folder, `tsconfig.${format}.json`)]
    const { exitCode, output } = await runStep({ name, program: 'tsc', args })
    if (exitCode !== 0) throw new Error(output)
  }
  // The schemas are in the package, where editors find them.
  if (name === 'tools') await cp(join(root, 'schemas'), join(folder, 'schemas'), copyAnew)
  // The package has the type "module", and this folder has the type "commonjs".
  await writeFile(join(folder, 'dist', 'cjs', 'package.json'), '{ "type": "commonjs" }\n')
}

/** Throws with the name of a published package whose version differs from that of the service. */
async function assertOneVersion(): Promise<void> {
  const versionOf = async (folder: string): Promise<string> =>
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version
  const version = await versionOf(root)
  const python = await readFile(join(root, 'packages/python/pyproject.toml'), 'utf8')
  if (!python.includes(`\nversion = "${version}"\n`)) {
    throw new Error(`packages/python is not ${version}, as the service is`)
  }
  for (const name of ['service', ...publishedPackages]) {
    const own = await versionOf(join(root, 'packages', name))
    if (own !== version) throw new Error(`packages/${name} is ${own}, the service is ${version}`)
  }
}

/** File names of the Python client as it is published. */
export interface PythonFiles {
  readonly wheel: string
  readonly sdist: string
}

/**
 * Writes the wheel and the source distribution of the Python client into `out`. Needs `python3`,
 * and no network.
 */
export async function packPython(out: string): Promise<PythonFiles> {
  const args = [join(root, 'packages', 'python', 'build_package.py'), out]
  const { stdout } = await promisify(execFile)('python3', args)
  const [wheel, sdist] = stdout.trim().split('\n')
  if (wheel === undefined || sdist === undefined) throw new Error(`python3 printed: ${stdout}`)
  return { wheel, sdist }
}

/** A tarball as npm packed it: its file name and its bytes. */
export interface Tarball {
  readonly filename: string
  readonly size: number
}

/** Builds each published package and writes its tarball into `out`, without a network. */
export async function packPackages(out: string, repository?: string): Promise<Tarball[]> {
  await assertOneVersion()
  await mkdir(out, { recursive: true })
  const tarballs: Tarball[] = []
  for (const name of publishedPackages) {
    await buildPackage(name)
    const at = repository === undefined ? {} : repositoryMembers(repository, `packages/${name}`)
    tarballs.push(await packWith(at, packageFolder(name), out))
  }
  return tarballs
}

/**
 * The members of a `package.json` that name the repository from which a package is built: npm
 * publishes with provenance only if they name that of the job.
 */
export function repositoryMembers(url: string, directory?: string): Record<string, object> {
  const place = directory === undefined ? {} : { directory }
  return {
    repository: { type: 'git', url: `git+${url.replace(/(?:\.git)?\/*$/, '')}.git`, ...place },
  }
}

/** Like `packFolder`, with additional members in the `package.json` of the tarball only. */
async function packWith(more: object, folder: string, out: string): Promise<Tarball> {
  if (Object.keys(more).length === 0) return packFolder(folder, out)
  const copy = await mkdtemp(join(tmpdir(), 'countersign package '))
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    for (const name of manifest.files) await cp(join(folder, name), join(copy, name), copyAnew)
    await writeFile(
      join(copy, 'package.json'),
      `${JSON.stringify({ ...manifest, ...more }, null, 2)}\n`,
    )
    return await packFolder(copy, out)
  } finally {
    await rm(copy, copyAnew)
  }
}

/** Writes the tarball of a package that is built into `out`. */
export async function packFolder(folder: string, out: string): Promise<Tarball> {
  // The package is already built, and `prepack` would build it again.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: maxOutput })
  const [tarball] = JSON.parse(stdout) as Tarball[]
  if (tarball === undefined) throw new Error(`npm packed nothing in ${folder}`)
  return tarball
}
