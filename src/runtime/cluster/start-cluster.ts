import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDevToken } from '../data-folder/dev-token.ts'
import { startEmbeddedPostgres } from '../embedded/postgres.ts'
import type { Environment } from '../environment.ts'
import { findFolders, runFolder } from '../folders.ts'
import { findFreePort } from '../processes/free-port.ts'
import {
  readProjectEnvironment,
  withoutModelKeys,
  withoutOwnerUrl,
  withoutSigningKey,
} from '../project/project-environment.ts'
import { launchNode } from '../supervisor/launch-node.ts'
import { runMigrations } from '../supervisor/own-processes.ts'
import { prepareQuickstart } from '../supervisor/quickstart-copy.ts'
import type { RunningService } from '../supervisor/running-service.ts'
import { ownListener } from './own-listener.ts'
import { startTemporalCluster } from './temporal-cluster.ts'

const NAMESPACE = 'countersign'

export type ClusterOptions = {
  project?: string
  data?: string
  /** How many of each; two when not said. */
  apis?: number
  workers?: number
  environment: Environment
  log: (sentence: string) => void
}

export type Cluster = {
  databaseUrl: string
  temporalAddress: string
  namespace: string
  projectDir: string
  dataDir: string
  devToken: string
  apis: (RunningService & { url: string })[]
  workers: RunningService[]
  postgres: RunningService
  temporal: RunningService
  stop(): Promise<void>
}

/**
 * The production shape without Docker: Postgres, Temporal's production server on it, two APIs and
 * two Temporal workers, each a process of its own. Nothing is restarted by itself: tests kill parts.
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
        namespace: NAMESPACE,
        environment,
        log,
      }),
    )
    const devToken = await writeDevToken(dataDir)
    const variables = {
      ...definedOf(environment),
      DATABASE_URL: postgres.applicationUrl,
      COUNTERSIGN_MIGRATE_DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: NAMESPACE,
      COUNTERSIGN_EMBEDDED: '1',
    }
    await runMigrations({ folders, variables, log })
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
    return {
      databaseUrl: postgres.url,
      temporalAddress: temporal.address,
      namespace: NAMESPACE,
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

  function start(
    name: string,
    command: string,
    env: Record<string, string>,
  ): Promise<RunningService> {
    log(`starting ${name}`)
    return launchNode({
      args: [command, '--project', projectDir, '--data', dataDir],
      env: withoutOwnerUrl(env),
      logFile: join(dataDir, 'logs', `${name}.log`),
      readyTimeoutMs: 90_000,
      graceMs: 20_000,
    })
  }
}

/** One after the other: the first makes the signing key and activates the policy. */
async function startAll<T>(count: number, startOne: (index: number) => Promise<T>): Promise<T[]> {
  const started: T[] = []
  for (let index = 0; index < count; index += 1) started.push(await startOne(index))
  return started
}

function definedOf(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  )
}
