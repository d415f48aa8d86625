import { join } from 'node:path'
import { startEmbeddedPostgres } from '../embedded/postgres.ts'
import { findTemporalBinary } from '../embedded/temporal-binary.ts'
import { startTemporalServer } from '../embedded/temporal-server.ts'
import { readServerVersion } from '../embedded/temporal-version.ts'
import { readText } from '../environment.ts'
import type { Environment } from '../environment.ts'
import { logFolder, runFolder } from '../folders.ts'
import { writeWhole } from '../processes/write-whole.ts'
import type { Ports } from './remembered-ports.ts'
import type { Progress } from './progress.ts'
import { supervise } from './supervise.ts'
import type { Supervised } from './supervise.ts'

export type Infrastructure = {
  /** What the processes that use it are told, as environment variables. */
  variables: Record<string, string>
  ports: Ports
}

export type InfrastructureOptions = {
  dataDir: string
  environment: Environment
  ports: Ports
  progress: Progress
  /** Called as soon as each server runs, so that it is stopped whatever happens to the other. */
  onStarted: (server: Supervised) => void
}

/** Postgres and Temporal at once: those that the environment names, or our own. */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const parts = await Promise.allSettled([startPostgres(options), startTemporal(options)])
  const failed = parts.find((part) => part.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const found = parts.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
  const isEmbedded = found.every((part) => part.isEmbedded)
  return {
    variables: {
      ...Object.assign({}, ...found.map((part) => part.variables)),
      COUNTERSIGN_EMBEDDED: isEmbedded ? '1' : '0',
    },
    ports: Object.assign({}, ...found.map((part) => part.ports)),
  }
}

type Part = { isEmbedded: boolean; variables: Record<string, string>; ports: Ports }

async function startPostgres({
  dataDir,
  environment,
  ports,
  progress,
  onStarted,
}: InfrastructureOptions): Promise<Part> {
  const given = readText(environment, 'DATABASE_URL')
  if (given !== undefined)
    return { isEmbedded: false, variables: { DATABASE_URL: given }, ports: {} }
  let { postgres: port } = ports
  let [url, applicationUrl] = ['', '']
  const server = await progress.during('starting Postgres', () =>
    supervise(
      {
        name: 'postgres',
        start: async (stop) => {
          const files = join(dataDir, 'postgres')
          const options = { dataDir: files, log: progress.say, durable: true, stop }
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
  onStarted(server)
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
  onStarted,
}: InfrastructureOptions): Promise<Part> {
  const given = readText(environment, 'TEMPORAL_ADDRESS')
  if (given !== undefined) {
    await writeWhole(join(runFolder(dataDir), 'temporal.address'), `${given}\n`, 0o644)
    return { isEmbedded: false, variables: { TEMPORAL_ADDRESS: given }, ports: {} }
  }
  const binary = await findTemporalBinary({ log: progress.say, environment })
  const [major, minor] = (await readServerVersion(binary)).split('.')
  const namespace = readText(environment, 'TEMPORAL_NAMESPACE') ?? 'default'
  let { temporal: port, temporalUi: uiPort } = ports
  let [address, uiUrl] = ['', '']
  const server = await progress.during('starting Temporal', () =>
    supervise(
      {
        name: 'temporal',
        start: async (stop) => {
          const running = await startTemporalServer({
            stop,
            binary,
            // The development server does not upgrade its database: each server series has its own.
            dataFile: join(dataDir, `temporal-${major}.${minor}.sqlite`),
            logFile: join(logFolder(dataDir), 'temporal.log'),
            namespace,
            log: progress.say,
            ...(port === undefined ? {} : { port }),
            ...(uiPort === undefined ? {} : { uiPort }),
          })
          ;({ address, port } = running)
          uiUrl = running.uiUrl ?? ''
          uiPort = Number(new URL(uiUrl).port)
          return running
        },
      },
      { runDir: runFolder(dataDir), log: progress.say },
    ),
  )
  onStarted(server)
  await writeWhole(join(runFolder(dataDir), 'temporal.address'), `${address}\n`, 0o644)
  return {
    isEmbedded: true,
    variables: {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      COUNTERSIGN_TEMPORAL_UI_URL: uiUrl,
    },
    ports: {
      ...(port === undefined ? {} : { temporal: port }),
      ...(uiPort === undefined ? {} : { temporalUi: uiPort }),
    },
  }
}
