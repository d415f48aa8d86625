import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/**
 * The user for Postgres when this process is root (Postgres refuses to run as root): `postgres`,
 * created when the system has none. `undefined` for an ordinary user, whom Postgres then runs as.
 */
export async function findPostgresUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const existing = await lookUp('postgres')
  if (existing !== null) return existing
  await createUser('postgres')
  const created = await lookUp('postgres')
  if (created === null) {
    throw new Error(
      'Postgres does not run as root, and no user "postgres" could be created. ' +
        'Create one (useradd --system postgres), start as an ordinary user, or set DATABASE_URL.',
    )
  }
  return created
}

async function lookUp(name: string): Promise<SystemUser | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    return { uid: Number.parseInt(uid.stdout, 10), gid: Number.parseInt(gid.stdout, 10) }
  } catch {
    return null
  }
}

/** Concurrent starts may both try. The user is looked up, so a failure does no harm. */
async function createUser(name: string): Promise<void> {
  const ways: [string, string[]][] = [
    [
      'useradd',
      ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name],
    ],
    ['adduser', ['-S', '-H', '-D', name]],
  ]
  for (const [command, args] of ways) {
    try {
      await run(command, args)
      return
    } catch {
      // The next command, or the look-up afterwards, shows the result.
    }
  }
}
