import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { errorMessage } from '#domain/error-message.ts'
import { choosePort } from '../processes/free-port.ts'
import { launchServer, type LaunchedServer } from '../processes/launch-server.ts'
import type { ProcessIdentity } from '../processes/process-identity.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import {
  applicationRole,
  databaseName,
  ownerRole,
  passwordFileOf,
  applicationPasswordFileOf,
} from './postgres-address.ts'
import { ensureCluster } from './postgres-cluster.ts'
import { clearPostgresLeftovers } from './postgres-leftovers.ts'
import { findPostgresUser } from './postgres-user.ts'
import {
  canReach,
  reachableRoot,
  reachableStandIn,
  markStandIn,
  removeUnusedStandIns,
} from './stand-ins.ts'
import { tailOf } from '../processes/tail-of.ts'
import { waitUntilStarted } from './wait-until-started.ts'
import { writeWhole } from '../files.ts'

export interface EmbeddedPostgresOptions {
  /** The cluster's folder; made when missing. Its log and password file are next to it. */
  readonly dataDir: string
  /** The preferred port; when it is in use, another one is taken, with a message. Default: any. */
  readonly port?: number
  /** Others already use the address: the start fails while another program has the port. */
  readonly keepPort?: boolean
  readonly log: (sentence: string) => void
  /** `false` only for tests: commits are then not flushed to disk. */
  readonly durable: boolean
  /** Aborts the start: whatever was started is ended, and the start rejects. */
  readonly stop?: AbortSignal
}

export interface EmbeddedPostgres {
  /** The database `countersign`, as its owner. */
  readonly url: string
  /** The same as the application's role, which has its rights from `countersign migrate`. */
  readonly applicationUrl: string
  readonly port: number
  readonly pid: number
  readonly identity: ProcessIdentity
  readonly exited: Promise<number>
  /** Fast shutdown; resolves when the server has ended. */
  stop(): Promise<void>
}

/**
 * Starts a real Postgres 18 on loopback and waits until it answers. As root it runs as the user
 * `postgres`; where that user cannot reach `dataDir`, its files go to a folder it can reach, with a
 * message. Leftovers of an earlier crash are removed first. The server ends with this process.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const configuredDir = resolve(options.dataDir)
  await mkdir(dirname(configuredDir), { recursive: true })
  const user = await findPostgresUser()
  const binaries = await findPostgresBinaries(user, options.log)
  const reachable = user === undefined || (await canReach(dirname(configuredDir), user))
  const dataDir = reachable ? configuredDir : reachableStandIn(configuredDir)
  if (!reachable)
    options.log(
      `Postgres cannot reach ${configuredDir} as an unprivileged user: its files are in ${dataDir}`,
    )
  const password = await ensureCluster({
    initdb: binaries.initdb,
    dataDir,
    passwordFile: passwordFileOf(configuredDir),
    user,
    durable: options.durable,
    log: options.log,
  })
  if (!reachable) await keepStandIns(dataDir, configuredDir, options.log)
  await clearPostgresLeftovers(dataDir, options.log)
  const logFile = join(dirname(configuredDir), `${basename(configuredDir)}.log`)
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(options.port, { keep: options.keepPort === true })
    if (options.port !== undefined && port !== options.port) {
      options.log(`port ${options.port} is taken: Postgres listens on ${port}`)
    }
    const server = await launchServer({
      command: binaries.postgres,
      args: serverArguments(dataDir, port, options.durable),
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      cwd: '/',
      logFile,
      stopSignal: 'INT',
      graceSeconds: 20,
      ...(user === undefined ? {} : { user }),
    })
    const url = `postgres://${ownerRole}:${password}@127.0.0.1:${port}`
    const ready = await becomesReady(server, { url, dataDir: configuredDir, stop: options.stop })
    if (typeof ready !== 'string') {
      const applicationUrl = `postgres://${applicationRole}:${ready.password}@127.0.0.1:${port}/${databaseName}`
      const { pid } = server.identity
      return { ...server, url: `${url}/${databaseName}`, applicationUrl, port, pid }
    }
    await server.stop()
    if (attempt === 3 || options.stop?.aborted === true)
      throw new Error(
        `Postgres does not start: ${ready}. Its log: ${logFile}\n${await tailOf(logFile)}`,
      )
    await clearPostgresLeftovers(dataDir, options.log)
  }
}

async function keepStandIns(
  standIn: string,
  configuredDir: string,
  log: (sentence: string) => void,
): Promise<void> {
  await markStandIn(standIn, configuredDir)
  for (const deletedFolder of await removeUnusedStandIns(reachableRoot))
    log(`removed the database of ${deletedFolder}, a folder that was deleted`)
}

function serverArguments(dataDir: string, port: number, durable: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // Loopback with a password only: a socket file would need a short path and its own permissions.
    unix_socket_directories: '',
    max_connections: '200',
    max_wal_senders: '0',
    wal_level: 'minimal',
    timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return [
    '-D',
    dataDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

/** The application's password once the server answers and has its database; else why not. */
async function becomesReady(
  server: LaunchedServer,
  { url, dataDir, stop }: { url: string; dataDir: string; stop: AbortSignal | undefined },
): Promise<{ password: string } | string> {
  const failure = await waitUntilStarted(server, () => answers(url), { everyMs: 50, stop })
  if (failure !== null) return failure
  try {
    return { password: await ensureDatabase(url, dataDir) }
  } catch (error) {
    return errorMessage(error)
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: `${url}/postgres`,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    // Not awaited: a server that hangs does not end a connection either.
    void client.end().catch(() => undefined)
  }
}

/**
 * Makes the database and the application's role in an embedded Postgres, unless they exist. `url`
 * is the owner's, without a database. Returns the role's password, which is stored in an owner-only
 * file next to the folder.
 */
async function ensureDatabase(url: string, dataDir: string): Promise<string> {
  const password = await ensurePassword(applicationPasswordFileOf(dataDir))
  const client = new Client({ connectionString: `${url}/postgres` })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const databases = await client.query('select 1 from pg_database where datname = $1', [
      databaseName,
    ])
    if (databases.rowCount === 0) await client.query(`create database ${databaseName}`)
    const roles = await client.query('select 1 from pg_roles where rolname = $1', [applicationRole])
    if (roles.rowCount === 0) await client.query(`create role ${applicationRole}`)
    // The alphabet of the password needs no quoting.
    await client.query(`alter role ${applicationRole} login password '${password}'`)
  } finally {
    await client.end()
  }
  return password
}

async function ensurePassword(file: string): Promise<string> {
  const storedPassword = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (/^[\w-]{20,}$/.test(storedPassword)) return storedPassword
  const password = randomBytes(24).toString('base64url')
  await writeWhole(file, `${password}\n`, 0o600)
  return password
}
