import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { packageFolder, publishedPackages } from './packages.ts'
import { packageManifest, type Manifest } from './service-manifest.ts'

const root = join(import.meta.dirname, '..', '..')
const maxOutput = 64 * 1024 * 1024

type Json = Readonly<Record<string, unknown>>

interface Lock extends Json {
  readonly packages: Readonly<Record<string, { readonly link?: boolean }>>
}

/**
 * Writes the bills of materials of all packages into `out`, each beside its tarball and in
 * CycloneDX 1.5. That of the service lists every package that an installation contains, with the
 * version and hash in `package-lock.json`. Peer dependencies, and packages that only the checkout
 * needs, are in none. Returns the file names; needs no network.
 */
export async function writeSboms(out: string): Promise<string[]> {
  await mkdir(out, { recursive: true })
  const lock: Lock = await readJson(join(root, 'package-lock.json'))
  const checkout: Manifest = await readJson(join(root, 'package.json'))
  const service = { manifest: packageManifest(checkout), lock, type: 'application' } as const
  const others = publishedPackages.map(async (name) => {
    const manifest: Json = await readJson(join(packageFolder(name), 'package.json'))
    return { manifest, lock: null, type: name === 'hook' ? 'application' : 'library' } as const
  })
  const written: string[] = []
  for (const packed of [service, ...(await Promise.all(others))]) {
    const { name, version } = packed.manifest
    const file = `${String(name).replace('@', '').replace('/', '-')}-${String(version)}.cdx.json`
    await writeFile(join(out, file), await billOf(packed))
    written.push(file)
  }
  const file = `countersign-${String(checkout['version'])}-python.cdx.json`
  await writeFile(join(out, file), JSON.stringify(await billOfWheel(), null, 2))
  return [...written, file]
}

async function billOf(packed: {
  readonly manifest: Json
  /** `null`: the package has no dependencies */
  readonly lock: Lock | null
  readonly type: 'application' | 'library'
}): Promise<string> {
  const { lock, type } = packed
  const { peerDependencies: _, ...manifest } = packed.manifest
  const parent = await mkdtemp(join(tmpdir(), 'countersign sbom '))
  try {
    // npm names the component after its folder.
    const folder = join(parent, basename(String(manifest['name'])))
    await mkdir(folder)
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lockOf(manifest, lock)))
    // The lock file of the checkout also marks peers and development tools. npm computes from the
    // pinned versions what this package alone needs.
    await npm(folder, ['install', '--package-lock-only', '--offline', '--ignore-scripts'])
    const format = ['--sbom-format', 'cyclonedx', '--sbom-type', type]
    return await npm(folder, ['sbom', '--package-lock-only', ...format])
  } finally {
    await rm(parent, { recursive: true, force: true })
  }
}

/**
 * The bill of materials of the Python client. The installing project chooses the version of its
 * only dependency.
 */
async function billOfWheel(): Promise<Json> {
  const project = await readFile(join(root, 'packages/python/pyproject.toml'), 'utf8')
  const field = (pattern: RegExp): string => {
    const value = pattern.exec(project)?.[1]
    if (value === undefined) throw new Error(`pyproject.toml has no ${pattern}`)
    return value
  }
  const name = field(/^name = "(.+)"$/m)
  const version = field(/^version = "(.+)"$/m)
  const [needed = ''] = field(/^dependencies = \["([^",]+)/m).split(/[<>=]/)
  const purl = `pkg:pypi/${name}@${version}`
  const license = { id: field(/^license = "(.+)"$/m) }
  const component = { type: 'library', 'bom-ref': purl, name, version, purl }
  const ref = `pkg:pypi/${needed}`
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...component, licenses: [{ license }] } },
    components: [{ type: 'library', 'bom-ref': ref, name: needed, purl: ref }],
    dependencies: [{ ref: purl, dependsOn: [ref] }, { ref }],
  }
}

async function npm(folder: string, args: readonly string[]): Promise<string> {
  const options = { cwd: folder, maxBuffer: maxOutput }
  const { stdout } = await promisify(execFile)('npm', [...args, '--omit', 'dev'], options)
  return stdout
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T
}

/** The lock file with the package in the place of the checkout, and without its workspaces. */
function lockOf(manifest: Json, lock: Lock | null): Json {
  const { name, version } = manifest
  if (lock === null) return { name, version, lockfileVersion: 3, packages: { '': manifest } }
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
  )
  return { ...lock, packages: { '': manifest, ...Object.fromEntries(installed) } }
}
