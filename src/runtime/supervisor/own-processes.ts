import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { checkoutFolder, logFolder, runFolder } from '../folders.ts'
import type { Folders } from '../folders.ts'
import { findFreePort, isPortFree } from '../processes/free-port.ts'
import {
  withoutModelKeys,
  withoutOwnerUrl,
  withoutSigningKey,
} from '../config/project-environment.ts'
import { launchNode } from './launch-node.ts'
import {
  ServiceRefused,
  supervise,
  type RunningService,
  type SupervisionHandle,
} from './supervise.ts'

const readyTimeoutMs = 90_000
const graceMs = 20_000
/** Longer than a loaded machine delays a healthy event loop. */
const silentMs = 20_000

export interface ProcessOptions {
  readonly folders: Folders
  /** The file that starts the command `countersign`: of the sources, or of their bundle. */
  readonly entry: string
  /** The project's and the infrastructure's variables; each process gets only its part. */
  readonly variables: Record<string, string>
  readonly log: (sentence: string) => void
  /** Ends a start that is under way. */
  readonly stop?: AbortSignal
}

/** A process that is kept running. */
interface SupervisedOptions extends ProcessOptions {
  /**
   * The entry for a process that is started again. It is made from the sources as they are at that
   * moment, because the process loads its workflows and threads from them: activities of earlier
   * sources would not match these workflows. The database is migrated first if the sources need it.
   */
  readonly findEntry: (stop: AbortSignal) => Promise<string>
}

/** Migrates to this version's schema. Throws the last sentence of `countersign migrate`. */
export async function runMigrations(options: ProcessOptions): Promise<void> {
  const { folders, entry, variables, stop } = options
  const child = spawn(process.execPath, [entry, 'migrate', ...folderArguments(folders)], {
    cwd: checkoutFolder,
    env: withoutModelKeys(withoutSigningKey(variables)),
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: stop,
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(output.trim() || `countersign migrate ended with code ${code}`)
}

/** Starts the API on that port and keeps it running. */
export function startApi(
  options: SupervisedOptions & { port: number },
): Promise<SupervisionHandle> {
  const variables = { ...withoutModelKeys(options.variables), PORT: String(options.port) }
  return startProcess('api', { ...options, variables })
}

/** Starts a Temporal worker and keeps it running. It never gets the signing key. */
export function startTemporalWorker(options: SupervisedOptions): Promise<SupervisionHandle> {
  return startProcess('temporal-worker', {
    ...options,
    variables: withoutSigningKey(options.variables),
  })
}

/**
 * The port for people: the preferred one, or a free one when it is taken, with a message. Where the
 * address is fixed from outside (`isFixed`), a taken port is an error instead.
 */
export async function chooseApiPort(
  preferredPort: number,
  { host, isFixed, log }: { host: string; isFixed: boolean; log: (sentence: string) => void },
): Promise<number> {
  if (preferredPort === 0) return findFreePort(host)
  // Browsers may try ::1 first for `localhost`, so the port must be free there too.
  if ((await isPortFree(preferredPort, host)) && (await isPortFree(preferredPort, '::1')))
    return preferredPort
  if (isFixed)
    throw new Error(
      `port ${preferredPort} is taken by another program: end that one or choose another with --port`,
    )
  const port = await findFreePort(host)
  log(`port ${preferredPort} is taken by another program: using ${port}`)
  return port
}

function startProcess(
  name: 'api' | 'temporal-worker',
  { stop: stopFirst, findEntry, ...options }: SupervisedOptions,
): Promise<SupervisionHandle> {
  let isFirst = true
  const start = async (stop: AbortSignal): Promise<RunningService> => {
    const isAgain = !isFirst
    isFirst = false
    const entry = isAgain ? await findEntry(stop) : options.entry
    const launch = () => launchProcess(name, { ...options, entry, logName: name, stop })
    try {
      return await launch()
    } catch (error) {
      if (!isAgain || !(error instanceof ServiceRefused)) throw error
      // Later sources refuse the schema of earlier ones, which would end the whole installation.
      options.log(`${name} refused to serve: migrating the database, and starting it once more`)
      await runMigrations({ ...options, entry, stop })
      return launch()
    }
  }
  return supervise(
    { name, start },
    {
      runDir: runFolder(options.folders.dataDir),
      log: options.log,
      ...(stopFirst === undefined ? {} : { stop: stopFirst }),
    },
  )
}

/** Starts an API or a Temporal worker without supervision; its log is `LOGS/<logName>.log`. */
export function launchProcess(
  command: 'api' | 'temporal-worker',
  options: ProcessOptions & { readonly logName: string },
): Promise<RunningService> {
  const { folders, entry, variables, log, logName, stop } = options
  return launchNode({
    entry,
    ...(stop === undefined ? {} : { stop }),
    args: [command, ...folderArguments(folders)],
    env: withoutOwnerUrl(variables),
    logFile: join(logFolder(folders.dataDir), `${logName}.log`),
    readyTimeoutMs,
    graceMs,
    silentMs,
    onWaiting: (sentence) => log(`${logName}: ${sentence}`),
    onSays: log,
  })
}

function folderArguments(folders: Folders): string[] {
  return ['--project', folders.projectDir, '--data', folders.dataDir]
}
