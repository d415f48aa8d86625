import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageManifest, type Manifest } from './service-manifest.ts'

const root = join(import.meta.dirname, '..')
const maxOutput = 64 * 1024 * 1024

interface Lock {
  readonly packages: Readonly<Record<string, { readonly link?: boolean }>>
  readonly [key: string]: unknown
}

/**
 * Writes the bill of materials of the package `countersign` into `out`, in CycloneDX 1.5 as npm
 * makes it: every package that an installation brings, at the version and with the hash that
 * `package-lock.json` pins. The optional peers, and what only the checkout needs, are not in it.
 * Returns its file name; needs no network.
 */
export async function writeSbom(out: string): Promise<string> {
  const checkout = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock
  // Optional: who asks models there installs them.
  const { peerDependencies: _, ...manifest } = packageManifest(checkout)
  const parent = await mkdtemp(join(tmpdir(), 'countersign sbom '))
  try {
    // npm names the component after its folder.
    const folder = join(parent, String(manifest['name']))
    await mkdir(folder)
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lockOf(manifest, lock)))
    // The lock file of the checkout marks what is also a peer or a tool of development in it: npm
    // works out anew what this package needs, from what is pinned alone.
    await npm(folder, ['install', '--package-lock-only', '--offline', '--ignore-scripts'])
    const bill = await npm(folder, [
      'sbom',
      '--package-lock-only',
      '--sbom-format',
      'cyclonedx',
      '--sbom-type',
      'application',
    ])
    const name = `countersign-${String(manifest['version'])}.cdx.json`
    await mkdir(out, { recursive: true })
    await writeFile(join(out, name), bill)
    return name
  } finally {
    await rm(parent, { recursive: true, force: true })
  }
}

async function npm(folder: string, args: readonly string[]): Promise<string> {
  const options = { cwd: folder, maxBuffer: maxOutput }
  const { stdout } = await promisify(execFile)('npm', [...args, '--omit', 'dev'], options)
  return stdout
}

/** The lock file with the package in the place of the checkout, and without its workspaces. */
function lockOf(manifest: Record<string, unknown>, lock: Lock): Lock {
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
  )
  return { ...lock, packages: { '': manifest, ...Object.fromEntries(installed) } }
}
