import { errorCode } from '#domain/error-code.ts'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '#domain/error-message.ts'
import { type Config, readConfig } from '../config/config.ts'
import { removeDevToken, writeDevToken } from '../data-folder/run-secrets.ts'
import { type Environment, readText } from '../environment.ts'
import {
  cacheFolder,
  checkoutFolder,
  findFolders,
  logFolder,
  runFolder,
  type Folders,
} from '../folders.ts'
import { isLoopback } from '../config/read-variables.ts'
import { makeFolder, writeWhole } from '../files.ts'
import { temporalNamedBy } from '../config/temporal-config.ts'
import { definedVariables, readProjectEnvironment } from '../config/project-environment.ts'
import { buildUiAside, isUiBuilt } from './build-ui.ts'
import { startInfrastructure } from './infrastructure.ts'
import { chooseApiPort, runMigrations, startApi, startTemporalWorker } from './own-processes.ts'
import type { Progress } from './progress.ts'
import { prepareQuickstart } from './quickstart-copy.ts'
import { readPorts, writePorts } from './remembered-ports.ts'
import { serviceEntry } from './service-bundle.ts'
import { becomeSupervisor, resignAsSupervisor } from './single-start.ts'
import { stopService, type SupervisionHandle } from './supervise.ts'
import { sweepCache } from './sweep-cache.ts'

export interface RunningInstallation {
  readonly folders: Folders
  /** For programs: the loopback address. */
  readonly localUrl: string
  /** For people. */
  readonly publicUrl: string
  /** `null` without development sign-in. */
  readonly devToken: string | null
  /** Rejects when a process refuses to serve; never resolves. */
  readonly refusal: Promise<never>
  /** Makes the API read the project folder again. */
  reload(): Promise<void>
  /** Stops everything in order. */
  stop(): Promise<void>
}

/**
 * Starts everything of `countersign start` and resolves when all of it serves. If a part cannot
 * start, the others are stopped again.
 */
export async function startInstallation(
  options: StartOptions,
  outer: Environment,
  progress: Progress,
): Promise<RunningInstallation> {
  const folders = findFolders(options)
  const { dataDir } = folders
  const runDir = runFolder(dataDir)
  await makeFolder(dataDir)
  await mkdir(logFolder(dataDir), { recursive: true, mode: 0o700 })
  await becomeSupervisor(runDir, progress.say)
  const started: StartedServices = { servers: [], own: [] }
  const stopping = new AbortController()
  const stop = async () => {
    stopping.abort()
    await using last = new AsyncDisposableStack()
    last.defer(() => resignAsSupervisor(runDir))
    last.defer(() => removeDevToken(dataDir))
    // In reverse order: API and Temporal worker finish while Postgres and Temporal still serve
    // them. Those of one kind stop concurrently, so that slow ones do not add up; one that does not
    // end does not block the others.
    last.defer(() => stopAll(started.servers.splice(0)))
    last.defer(() => stopAll(started.own.splice(0)))
  }
  try {
    const running = await startProcesses({
      options,
      outer,
      progress,
      folders,
      started,
      stop: stopping.signal,
    })
    // Beside the serving processes: nobody waits for it.
    void sweepCache(cacheFolder(outer), new Date())
    return {
      ...running,
      folders,
      reload: () => reloadApi(runDir),
      stop,
      refusal: Promise.race(
        [...started.servers, ...started.own].map(async (service) => (await service).refusal),
      ),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function stopAll(services: readonly Promise<SupervisionHandle>[]): Promise<void> {
  for (const stopped of await Promise.allSettled(services.map(stopService))) {
    if (stopped.status === 'rejected') throw stopped.reason
  }
}

/** An API that is restarting at this moment reads the folder anyway. */
async function reloadApi(runDir: string): Promise<void> {
  try {
    process.kill(Number(await readFile(join(runDir, 'api.pid'), 'utf8')), 'SIGHUP')
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ENOENT' && code !== 'ESRCH') throw error
  }
}

/** The services that run or start, each kind in the order of its start. */
interface StartedServices {
  readonly servers: Promise<SupervisionHandle>[]
  readonly own: Promise<SupervisionHandle>[]
}

interface StartContext {
  readonly options: StartOptions
  readonly outer: Environment
  readonly progress: Progress
  readonly folders: Folders
  readonly started: StartedServices
  readonly stop: AbortSignal
}

async function startProcesses(context: StartContext) {
  const { options, outer, progress, folders, started, stop } = context
  const { dataDir, projectDir } = folders
  if (folders.isQuickstart) await prepareQuickstart(projectDir, progress.say)
  const environment = readProjectEnvironment(projectDir, outer)
  const settings = readSettings(folders, environment)
  const ui = (await isUiBuilt()) ? undefined : buildDashboard(progress)
  const findEntry = (signal: AbortSignal): Promise<string> =>
    serviceEntry({ checkout: checkoutFolder, say: progress.say, stop: signal })
  const entry = findEntry(stop)
  // It is awaited after the servers, whose failure also stops it.
  entry.catch(() => undefined)
  const infrastructure = await startInfrastructure({
    dataDir,
    environment,
    ports: await readPorts(dataDir),
    progress,
    onStarting: (server) => started.servers.push(server),
  })
  await ui
  await writePorts(dataDir, infrastructure.ports)
  const devToken = await prepareDevelopmentSignIn(settings, infrastructure.variables)
  const port = await portOfApi(options.port, settings, environment, progress)
  const process = {
    folders,
    entry: await entry,
    findEntry,
    variables: { ...definedVariables(environment), ...infrastructure.variables },
    log: progress.say,
    stop,
  }
  await progress.during('preparing the database', () => runMigrations(process))
  // They load their code while Temporal starts, and then wait for it.
  started.own.push(
    progress.during('starting the Temporal worker', () => startTemporalWorker(process)),
    progress.during('starting the API', () => startApi({ ...process, port })),
  )
  await Promise.all([infrastructure.temporalServes, ...started.own])
  const localUrl = `http://127.0.0.1:${port}`
  await writeWhole(join(runFolder(dataDir), 'url'), `${localUrl}\n`, 0o644)
  const publicUrl = readText(environment, 'COUNTERSIGN_PUBLIC_URL') ?? `http://localhost:${port}`
  return { localUrl, publicUrl, devToken }
}

/** The rest works without the dashboard; developers of src/ui see the build's error. */
async function buildDashboard(progress: Progress): Promise<void> {
  try {
    await progress.during('building the dashboard', buildUiAside)
  } catch (error) {
    progress.say(`${errorMessage(error)}\nThe service runs without the dashboard.`)
  }
}

/** Checks the settings before anything starts, with placeholders for the servers. */
function readSettings(folders: Folders, environment: Environment): Config {
  return readConfig(folders, {
    ...environment,
    DATABASE_URL: readText(environment, 'DATABASE_URL') ?? 'postgres://to.come',
    ...(temporalNamedBy(environment) === null ? { TEMPORAL_ADDRESS: 'to.come:7233' } : {}),
  })
}

async function portOfApi(
  chosenPort: number | undefined,
  { host, port }: Config,
  environment: Environment,
  progress: Progress,
): Promise<number> {
  const isFixed = ['COUNTERSIGN_PUBLIC_URL', 'COUNTERSIGN_PRODUCTION'].some(
    (name) => readText(environment, name) !== undefined,
  )
  return chooseApiPort(chosenPort ?? port, { host, isFixed, log: progress.say })
}

/** The token of this start; without development sign-in, any old one is removed. */
async function prepareDevelopmentSignIn(
  { dataDir, host, isProduction }: Config,
  variables: Record<string, string>,
): Promise<string | null> {
  if (variables['COUNTERSIGN_EMBEDDED'] === '1' && isLoopback(host) && !isProduction)
    return writeDevToken(dataDir)
  await removeDevToken(dataDir)
  return null
}

export interface StartOptions {
  readonly project?: string
  readonly data?: string
  readonly port?: number
  /** Open the dashboard in a browser if possible. */
  readonly open: boolean
}
