import { join } from 'node:path'
import { startEmbeddedPostgres } from '../embedded/postgres.ts'
import { findTemporalBinary } from '../embedded/temporal-binary.ts'
import {
  loopbackHost,
  startTemporalServer,
  type TemporalPorts,
} from '../embedded/temporal-server.ts'
import { readServerVersion } from '../embedded/temporal-version.ts'
import { readTemporalConfig, temporalNamedBy } from '../config/temporal-config.ts'
import { readText } from '../environment.ts'
import type { Environment } from '../environment.ts'
import { logFolder, runFolder } from '../folders.ts'
import { writeWhole } from '../files.ts'
import type { Ports } from './remembered-ports.ts'
import type { Progress } from './progress.ts'
import { supervise } from './supervise.ts'
import type { SupervisionHandle } from './supervise.ts'

export interface Infrastructure {
  /** The environment variables for processes that use it. */
  readonly variables: Record<string, string>
  readonly ports: Ports
  /** Resolves when Temporal answers, as Postgres does already. Rejects when it does not start. */
  readonly temporalServes: Promise<unknown>
}

export interface InfrastructureOptions {
  readonly dataDir: string
  readonly environment: Environment
  readonly ports: Ports
  readonly progress: Progress
  /** Called with each server that starts, so that it is stopped also if something else fails. */
  readonly onStarting: (server: Promise<SupervisionHandle>) => void
}

/**
 * Starts Postgres and Temporal concurrently, or uses those in the environment. Resolves when
 * Postgres serves and Temporal's address is known.
 */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const parts = await Promise.allSettled([startPostgres(options), startTemporal(options)])
  const failed = parts.find((part) => part.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const started = parts.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
  const isEmbedded = started.every((part) => part.isEmbedded)
  if (!isEmbedded) {
    const database = readText(options.environment, 'DATABASE_URL')
    const own = [
      database === undefined ? null : 'DATABASE_URL',
      temporalNamedBy(options.environment),
    ].filter((name) => name !== null)
    options.progress.say(
      `the development profile (sign-in without a password, --as) is off, since ${own.join(' and ')} ` +
        'names a server of your own: sign in with a link from "countersign people link EMAIL"',
    )
  }
  const temporalServes = Promise.all(started.map(async (part) => part.serves))
  // Without a handler, a failure before anybody awaits it would end this process.
  temporalServes.catch(() => undefined)
  return {
    variables: {
      ...Object.assign({}, ...started.map((part) => part.variables)),
      COUNTERSIGN_EMBEDDED: isEmbedded ? '1' : '0',
    },
    ports: Object.assign({}, ...started.map((part) => part.ports)),
    temporalServes,
  }
}

interface Part {
  readonly isEmbedded: boolean
  readonly variables: Record<string, string>
  readonly ports: Ports
  readonly serves?: Promise<unknown>
}

async function startPostgres({
  dataDir,
  environment,
  ports,
  progress,
  onStarting,
}: InfrastructureOptions): Promise<Part> {
  const configured = readText(environment, 'DATABASE_URL')
  if (configured !== undefined)
    return { isEmbedded: false, variables: { DATABASE_URL: configured }, ports: {} }
  let { postgres: port } = ports
  let [url, applicationUrl] = ['', '']
  const server = progress.during('starting Postgres', () =>
    supervise(
      {
        name: 'postgres',
        start: async (stop) => {
          const files = join(dataDir, 'postgres')
          // The API and the Temporal worker use the address from the first start on.
          const keepPort = url !== ''
          const options = { dataDir: files, log: progress.say, durable: true, keepPort, stop }
          const running = await startEmbeddedPostgres(
            port === undefined ? options : { ...options, port },
          )
          ;({ url, applicationUrl, port } = running)
          return running
        },
      },
      { runDir: runFolder(dataDir), log: progress.say },
    ),
  )
  onStarting(server)
  await server
  return {
    isEmbedded: true,
    variables: { DATABASE_URL: applicationUrl, COUNTERSIGN_MIGRATE_DATABASE_URL: url },
    ports: port === undefined ? {} : { postgres: port },
  }
}

async function startTemporal({
  dataDir,
  environment,
  ports,
  progress,
  onStarting,
}: InfrastructureOptions): Promise<Part> {
  if (temporalNamedBy(environment) !== null) {
    const { address } = readTemporalConfig(environment)
    await rememberAddress(dataDir, address)
    return { isEmbedded: false, variables: {}, ports: {} }
  }
  const binary = await findTemporalBinary({ log: progress.say, environment })
  const [major, minor] = (await readServerVersion(binary)).split('.')
  const namespace = readText(environment, 'TEMPORAL_NAMESPACE') ?? 'default'
  const choice = Promise.withResolvers<TemporalPorts>()
  let portsNow: TemporalPorts | undefined
  const portsBefore = {
    ...(ports.temporal === undefined ? {} : { port: ports.temporal }),
    ...(ports.temporalUi === undefined ? {} : { uiPort: ports.temporalUi }),
  }
  const server = progress.during('starting Temporal', () =>
    supervise(
      {
        name: 'temporal',
        start: (stop) =>
          startTemporalServer({
            stop,
            binary,
            // The development server does not upgrade its database: each server series has its own.
            dataFile: join(dataDir, `temporal-${major}.${minor}.sqlite`),
            logFile: join(logFolder(dataDir), 'temporal.log'),
            namespace,
            log: progress.say,
            keepPort: portsNow !== undefined,
            ...(portsNow ?? portsBefore),
            onPorts: (both) => {
              portsNow = both
              choice.resolve(both)
            },
          }),
      },
      { runDir: runFolder(dataDir), log: progress.say },
    ),
  )
  onStarting(server)
  server.catch(choice.reject)
  const { port, uiPort } = await choice.promise
  const address = `${loopbackHost}:${port}`
  return {
    isEmbedded: true,
    variables: {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      COUNTERSIGN_TEMPORAL_UI_URL: `http://${loopbackHost}:${uiPort}`,
    },
    ports: { temporal: port, ...(uiPort === 'off' ? {} : { temporalUi: uiPort }) },
    serves: server.then(() => rememberAddress(dataDir, address)),
  }
}

/** Stored for commands that query Temporal themselves. */
function rememberAddress(dataDir: string, address: string): Promise<void> {
  return writeWhole(join(runFolder(dataDir), 'temporal.address'), `${address}\n`, 0o644)
}
