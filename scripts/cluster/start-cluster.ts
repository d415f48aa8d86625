import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDevToken } from '#runtime/data-folder/run-secrets.ts'
import { startEmbeddedPostgres } from '#runtime/embedded/postgres.ts'
import type { Environment } from '#runtime/environment.ts'
import { checkoutFolder, findFolders, runFolder, type Folders } from '#runtime/folders.ts'
import { findFreePort } from '#runtime/processes/free-port.ts'
import {
  definedVariables,
  readProjectEnvironment,
  withoutModelKeys,
  withoutSigningKey,
} from '#runtime/config/project-environment.ts'
import { launchProcess, runMigrations } from '#runtime/supervisor/own-processes.ts'
import { prepareQuickstart } from '#runtime/supervisor/quickstart-copy.ts'
import { serviceEntry } from '#runtime/supervisor/service-bundle.ts'
import type { RunningService } from '#runtime/supervisor/supervise.ts'
import { startTemporalCluster } from './temporal-cluster.ts'

const clusterNamespace = 'countersign'

export interface ClusterOptions {
  readonly project?: string
  readonly data?: string
  /** the number of APIs; default: two */
  readonly apis?: number
  /** the number of Temporal workers; default: two */
  readonly workers?: number
  readonly environment: Environment
  readonly log: (sentence: string) => void
}

export interface Cluster {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly namespace: string
  readonly projectDir: string
  readonly dataDir: string
  readonly devToken: string
  readonly apis: readonly (RunningService & { readonly url: string })[]
  readonly workers: readonly RunningService[]
  readonly postgres: RunningService
  readonly temporal: RunningService
  stop(): Promise<void>
}

/**
 * Starts the production setup without Docker: Postgres, Temporal's production server, two APIs and
 * two Temporal workers, each in its own process. Nothing restarts automatically, since tests kill
 * parts.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { log } = options
  const folders = findFolders(options)
  const { dataDir, projectDir } = folders
  await mkdir(dataDir, { recursive: true })
  await mkdir(runFolder(dataDir), { recursive: true, mode: 0o700 })
  if (folders.isQuickstart) await prepareQuickstart(projectDir, log)
  const environment = readProjectEnvironment(projectDir, options.environment)
  const undo = new AsyncDisposableStack()
  const keep = <T extends RunningService>(service: T): T => {
    undo.defer(() => service.stop())
    return service
  }
  try {
    log('starting Postgres')
    const postgres = keep(
      await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log, durable: true }),
    )
    log("starting Temporal's production server")
    const temporal = keep(
      await startTemporalCluster({
        databaseUrl: postgres.url,
        dataDir,
        namespace: clusterNamespace,
        environment,
        log,
      }),
    )
    const devToken = await writeDevToken(dataDir)
    const variables = {
      ...definedVariables(environment),
      DATABASE_URL: postgres.applicationUrl,
      COUNTERSIGN_MIGRATE_DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: clusterNamespace,
      COUNTERSIGN_EMBEDDED: '1',
    }
    const entry = await serviceEntry({ checkout: checkoutFolder, say: log })
    await runMigrations({ folders, entry, variables, log })
    const { apis, workers } = await startPrograms({ ...options, folders, entry, variables, keep })
    return {
      databaseUrl: postgres.url,
      temporalAddress: temporal.address,
      namespace: clusterNamespace,
      projectDir,
      dataDir,
      devToken,
      apis,
      workers,
      postgres,
      temporal,
      stop: () => undo.disposeAsync(),
    }
  } catch (error) {
    await undo.disposeAsync()
    throw error
  }
}

/** The APIs, then the Temporal workers, each with its own address for metrics. */
async function startPrograms(
  options: Pick<ClusterOptions, 'apis' | 'workers' | 'log'> & {
    readonly folders: Folders
    readonly entry: string
    readonly variables: Record<string, string>
    readonly keep: <T extends RunningService>(service: T) => T
  },
): Promise<Pick<Cluster, 'apis' | 'workers'>> {
  const { folders, entry, variables, keep, log } = options
  const start = (
    logName: string,
    command: 'api' | 'temporal-worker',
    env: Record<string, string>,
  ): Promise<RunningService> => {
    log(`starting ${logName}`)
    return launchProcess(command, { folders, entry, variables: env, log, logName })
  }
  const apis = await startAll(options.apis ?? 2, async (index) => {
    const port = await findFreePort()
    const name = `api-${index + 1}`
    const variable = 'COUNTERSIGN_METRICS'
    const api = await start(name, 'api', {
      ...withoutModelKeys(variables),
      ...(await ownListener({ variables, variable, name, index, log })),
      PORT: String(port),
    })
    return { ...keep(api), url: `http://127.0.0.1:${port}` }
  })
  const workers = await startAll(options.workers ?? 2, async (index) => {
    const name = `temporal-worker-${index + 1}`
    const variable = 'COUNTERSIGN_WORKER_METRICS'
    const worker = await start(name, 'temporal-worker', {
      ...withoutSigningKey(variables),
      ...(await ownListener({ variables, variable, name, index, log })),
    })
    return keep(worker)
  })
  return { apis, workers }
}

/** Starts one after the other, because the first makes the signing key and activates the policy. */
async function startAll<T>(count: number, startOne: (index: number) => Promise<T>): Promise<T[]> {
  const started: T[] = []
  for (let index = 0; index < count; index += 1) started.push(await startOne(index))
  return started
}

/** The variables that name a listener for metrics, of an API process and of a Temporal worker. */
export type MetricsVariable = 'COUNTERSIGN_METRICS' | 'COUNTERSIGN_WORKER_METRICS'

/**
 * The metrics address of process `index` (from 0) of its kind: the first one at the configured
 * address, each other on a free port of the same host, which it logs. None if the variable is not
 * set.
 */
export async function ownListener(options: {
  readonly variables: Readonly<Record<string, string>>
  readonly variable: MetricsVariable
  readonly name: string
  readonly index: number
  readonly log: (sentence: string) => void
}): Promise<Partial<Record<MetricsVariable, string>>> {
  const { variables, variable, name, index, log } = options
  const firstAddress = variables[variable]
  if (firstAddress === undefined || firstAddress === '' || index === 0) return {}
  // A port alone means loopback, for each.
  const host = firstAddress.slice(0, firstAddress.lastIndexOf(':') + 1)
  const address = `${host}${await findFreePort()}`
  log(
    `${name} serves its metrics on ${address}: the first of its kind has the ${variable} of ${firstAddress}`,
  )
  return { [variable]: address }
}
