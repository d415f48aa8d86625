import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findTemporalBinary } from '#runtime/embedded/temporal-binary.ts'
import type { Environment } from '#runtime/environment.ts'
import { checkoutFolder, logFolder, cacheFolder } from '#runtime/folders.ts'
import { findFreePort } from '#runtime/processes/free-port.ts'
import { launchServer } from '#runtime/processes/launch-server.ts'
import { isTemporalHealthy } from '#runtime/embedded/temporal-health.ts'
import { waitUntil } from '#runtime/processes/wait-until.ts'
import type { RunningService } from '#runtime/supervisor/supervise.ts'
import { buildWithGo, findGo } from '#runtime/embedded/build-with-go.ts'
import { installOnce } from '#runtime/embedded/install-once.ts'
import { temporalServerVersion } from '#runtime/embedded/temporal-version.ts'

const run = promisify(execFile)
const deployFolder = join(checkoutFolder, 'deploy', 'temporal')
const startTimeoutMs = 120_000

export interface TemporalCluster extends RunningService {
  readonly address: string
}

export interface TemporalClusterOptions {
  /** the Postgres of its databases, as a user who may create databases */
  readonly databaseUrl: string
  readonly dataDir: string
  readonly namespace: string
  readonly environment: Environment
  readonly log: (sentence: string) => void
}

/**
 * Temporal's production server on that Postgres, with the files that docker-compose.yml mounts: the
 * schema is brought up to date, the server started, the namespace registered.
 */
export async function startTemporalCluster(
  options: TemporalClusterOptions,
): Promise<TemporalCluster> {
  const { log, namespace, environment } = options
  const programs = await findTemporalPrograms(environment, log)
  const tool = await findTemporalBinary({ log, environment })
  const postgres = new URL(options.databaseUrl)
  await runScript('schema.sh', {
    TEMPORAL_SQL_TOOL: programs.sqlTool,
    SQL_HOST: postgres.hostname,
    SQL_PORT: postgres.port,
    SQL_USER: postgres.username,
    SQL_PASSWORD: postgres.password,
  })
  const ports = await serverPorts()
  await mkdir(logFolder(options.dataDir), { recursive: true })
  const logFile = join(logFolder(options.dataDir), 'temporal.log')
  const server = await launchServer({
    command: programs.server,
    args: ['--config-file', join(deployFolder, 'config.yaml'), '--allow-no-auth', 'start'],
    env: {
      PATH: '/usr/bin:/bin',
      ...ports,
      POSTGRES_HOST: postgres.hostname,
      POSTGRES_PORT: postgres.port,
      POSTGRES_USER: postgres.username,
      POSTGRES_PASSWORD: postgres.password,
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG: join(deployFolder, 'dynamic-config.yaml'),
    },
    cwd: '/',
    logFile,
    stopSignal: 'TERM',
    graceSeconds: 15,
  })
  const address = `127.0.0.1:${ports['FRONTEND_GRPC_PORT']}`
  const namespaced = runScript('namespace.sh', {
    TEMPORAL_TOOL: tool,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
  })
  const failure = server.exited.then((code) => {
    throw new Error(`Temporal ended with code ${code}; its log: ${logFile}`)
  })
  try {
    await Promise.race([namespaced, failure])
    const healthy = waitUntil(
      async () => ((await isTemporalHealthy(address, namespace, 5_000)) ? true : null),
      { timeoutMs: startTimeoutMs, everyMs: 250 },
    )
    if ((await Promise.race([healthy, failure])) === null) {
      throw new Error(
        `Temporal did not serve the namespace ${namespace} in time; its log: ${logFile}`,
      )
    }
    failure.catch(() => undefined)
    return { ...server, address }
  } catch (error) {
    namespaced.catch(() => undefined)
    failure.catch(() => undefined)
    await server.stop()
    throw error
  }
}

/** Free ports for the server's four services, so that several clusters can run. */
async function serverPorts(): Promise<Record<string, string>> {
  const ports: Record<string, string> = {}
  for (const service of ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER']) {
    for (const kind of ['GRPC', 'MEMBERSHIP']) {
      let port = await findFreePort()
      while (Object.values(ports).includes(String(port))) port = await findFreePort()
      ports[`${service}_${kind}_PORT`] = String(port)
    }
  }
  return ports
}

async function runScript(name: string, variables: Record<string, string>): Promise<void> {
  try {
    await run('/bin/sh', [join(deployFolder, name)], {
      env: { PATH: '/usr/bin:/bin', HOME: '/tmp', ...variables },
    })
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
    throw new Error(
      `deploy/temporal/${name} failed: ${(stderr || stdout).trim().split('\n').slice(-3).join(' / ')}`,
      { cause: error },
    )
  }
}

export interface TemporalPrograms {
  readonly server: string
  readonly sqlTool: string
}

/**
 * Temporal's production server and its schema tool: from the cache, or built from `tools/temporal`.
 * Throws one sentence if there is no Go toolchain.
 */
async function findTemporalPrograms(
  environment: Environment,
  log: (sentence: string) => void,
): Promise<TemporalPrograms> {
  const programs = [
    ['temporal-server', 'go.temporal.io/server/cmd/server'],
    ['temporal-sql-tool', 'go.temporal.io/server/cmd/tools/sql'],
  ] as const
  const paths: string[] = []
  for (const [name, programPackage] of programs) {
    const target = join(
      cacheFolder(environment),
      `${name}-${temporalServerVersion}-${process.platform}-${process.arch}`,
    )
    const make = async (path: string) => {
      if ((await findGo()) === null) {
        throw new Error(
          `${name} is built from tools/temporal, and no Go toolchain is on the PATH: install Go 1.26`,
        )
      }
      log(`building ${name} from source (once; about a minute)`)
      await buildWithGo({ name, programPackage, path }, log)
    }
    paths.push(await installOnce(target, make, log))
  }
  const [server = '', sqlTool = ''] = paths
  return { server, sqlTool }
}
