import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ownerRole } from './postgres-address.ts'
import type { SystemUser } from './postgres-user.ts'
import { exists } from '../files.ts'

const run = promisify(execFile)

export interface ClusterOptions {
  readonly initdb: string
  readonly dataDir: string
  /** Owner-only file with the owner's password, written with the cluster. */
  readonly passwordFile: string
  readonly user: SystemUser | undefined
  readonly durable: boolean
  readonly log: (sentence: string) => void
}

/**
 * Makes the cluster when the folder has none; returns the owner's password. It is made in a
 * temporary folder and renamed, so that a crash leaves nothing that looks like a cluster. A folder
 * with other files is refused.
 */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  if (await exists(join(options.dataDir, 'PG_VERSION'))) return readPassword(options.passwordFile)
  const files = await readdir(options.dataDir).catch(() => [])
  if (files.length > 0)
    throw new Error(
      `${options.dataDir} is not a Postgres folder and is not empty; nothing was changed`,
    )
  options.log('making the database (once)')
  const password = randomBytes(24).toString('base64url')
  const half = `${options.dataDir}.new`
  await rm(half, { recursive: true, force: true })
  await mkdir(dirname(half), { recursive: true, mode: 0o755 })
  await mkdir(half, { mode: 0o700 })
  if (options.user !== undefined) await chown(half, options.user.uid, options.user.gid)
  await initialise(options, half, password)
  await mkdir(dirname(options.passwordFile), { recursive: true })
  await writeFile(options.passwordFile, `${password}\n`, { mode: 0o600 })
  await rm(options.dataDir, { recursive: true, force: true })
  await rename(half, options.dataDir)
  return password
}

async function initialise(
  options: ClusterOptions,
  folder: string,
  password: string,
): Promise<void> {
  const passwordForInitdb = join(tmpdir(), `countersign-${randomBytes(8).toString('hex')}`)
  await writeFile(passwordForInitdb, `${password}\n`, { mode: 0o600, flag: 'wx' })
  try {
    if (options.user !== undefined)
      await chown(passwordForInitdb, options.user.uid, options.user.gid)
    await run(
      options.initdb,
      [
        `--pgdata=${folder}`,
        `--username=${ownerRole}`,
        `--pwfile=${passwordForInitdb}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(options.durable ? [] : ['--no-sync']),
      ],
      { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, ...options.user },
    )
  } catch (error) {
    const output = (error as { stderr?: string }).stderr?.trim() ?? String(error)
    throw new Error(`the database could not be made in ${folder}: ${output}`, { cause: error })
  } finally {
    await rm(passwordForInitdb, { force: true })
  }
}

async function readPassword(passwordFile: string): Promise<string> {
  try {
    return (await readFile(passwordFile, 'utf8')).trim()
  } catch (cause) {
    throw new Error(
      `the database's password file ${passwordFile} is missing; restore it from the backup of the data folder`,
      { cause },
    )
  }
}
