import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { askService } from '#test/harness/ask-service.ts'
import { runProgram } from './packed.ts'

const checkout = join(import.meta.dirname, '../..')

/** A folder of somebody else's in which the service was installed from its tarball. */
export interface InstalledService extends AsyncDisposable {
  readonly folder: string
  /** the folder of the installed package */
  readonly package: string
  /** `node_modules/.bin/countersign` */
  readonly command: string
  readonly manifest: ServiceManifest
}

export interface ServiceManifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/**
 * Installs the service from its tarball without a network: each package that it names is a link to
 * the one of this checkout, and no other is found. `optional: false` is `npm install
 * --omit=optional`.
 */
export async function installService({ optional = true } = {}): Promise<InstalledService> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign installed '))
  const own = join(folder, 'node_modules', 'countersign')
  await mkdir(own, { recursive: true })
  await runProgram('tar', ['-xzf', await askService('service'), '--strip-components=1', '-C', own])
  const text = await readFile(join(own, 'package.json'), 'utf8')
  const manifest = JSON.parse(text) as ServiceManifest
  const named = { ...manifest.dependencies, ...(optional ? manifest.optionalDependencies : {}) }
  for (const name of Object.keys(named)) {
    const at = join(folder, 'node_modules', name)
    await mkdir(dirname(at), { recursive: true })
    await symlink(join(checkout, 'node_modules', name), at)
  }
  const command = join(folder, 'node_modules', '.bin', 'countersign')
  await mkdir(dirname(command))
  await symlink(join('..', 'countersign', 'bin', 'countersign'), command)
  return {
    folder,
    package: own,
    command,
    manifest,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
