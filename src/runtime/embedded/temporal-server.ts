import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { searchAttributes } from '#domain/runs/search-attributes.ts'
import { endProcess } from '../processes/end-process.ts'
import { choosePort } from '../processes/free-port.ts'
import {
  readRunningProcess,
  writeIdentityFile,
  type ProcessIdentity,
} from '../processes/process-identity.ts'
import { launchServer, type LaunchedServer } from '../processes/launch-server.ts'
import { isTemporalHealthy } from './temporal-health.ts'
import { tailOf } from '../processes/tail-of.ts'
import { waitUntilStarted } from './wait-until-started.ts'

/** Where Temporal and its web UI listen. */
export const loopbackHost = '127.0.0.1'
/**
 * Go collects garbage when the heap has grown by this percentage (default: 100). The processor time
 * of a start stays the same.
 */
const heapGrowth = '50'
/** The names of search attribute types in Temporal's commands. */
const nameOfType = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList', INT: 'Int' } as const

export interface TemporalServerOptions {
  readonly binary: string
  /** The database on disk; without one everything is lost when the server ends (tests). */
  readonly dataFile?: string
  /** The preferred ports; when they are in use, others are taken, with a message. Default: any. */
  readonly port?: number
  readonly uiPort?: number | 'off'
  /**
   * The ports are fixed, since others already use the address: the start fails while another
   * program has one.
   */
  readonly keepPort?: boolean
  /**
   * Called as soon as the ports are known, before the server answers. From then on the start does
   * not take others.
   */
  readonly onPorts?: (ports: TemporalPorts) => void
  /** Made when missing, in addition to `default`. */
  readonly namespace?: string
  /** Dynamic settings beside ours, `NAME=JSON`; only for tests. */
  readonly settings?: readonly string[]
  /** Default: next to the data file, else in the system's temporary folder. */
  readonly logFile?: string
  readonly log: (sentence: string) => void
  /** Aborts the start: whatever was started is ended, and the start rejects. */
  readonly stop?: AbortSignal
}

export interface TemporalPorts {
  readonly port: number
  readonly uiPort: number | 'off'
}

export interface TemporalServer {
  readonly address: string
  readonly port: number
  readonly pid: number
  readonly identity: ProcessIdentity
  readonly exited: Promise<number>
  stop(): Promise<void>
}

/**
 * Starts Temporal's development server on loopback and waits until it answers for its namespace.
 * Eager activities and the write-ahead log are on (see architecture.md for the measurements). A
 * server that an earlier crash left on the same data file is ended first. It ends with this
 * process.
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const logFile = options.logFile ?? defaultLogFile(options.dataFile)
  await mkdir(dirname(logFile), { recursive: true })
  if (options.dataFile !== undefined) await endLeftover(options.dataFile, options.log)
  const namespace = options.namespace ?? 'default'
  const samePorts = options.onPorts === undefined ? null : await takePorts(options)
  if (samePorts !== null) options.onPorts?.(samePorts)
  for (let attempt = 1; ; attempt += 1) {
    const { port, uiPort } = samePorts ?? (await takePorts(options))
    const server = await launchServer({
      command: options.binary,
      args: serverArguments(options, { port, uiPort, namespace }),
      // It stores a file below HOME, which users of one machine cannot share.
      env: { PATH: '/usr/bin:/bin', HOME: dirname(logFile), GOGC: heapGrowth },
      cwd: '/',
      logFile,
      stopSignal: 'TERM',
      graceSeconds: 15,
    })
    if (options.dataFile !== undefined) await nameServer(options.dataFile, server)
    const address = `${loopbackHost}:${port}`
    const isHealthy = () => isTemporalHealthy(address, namespace, 5_000)
    const failure = await waitUntilStarted(server, isHealthy, { everyMs: 100, stop: options.stop })
    if (failure === null) return { ...server, address, port, pid: server.identity.pid }
    await server.stop()
    if (attempt === 3 || options.stop?.aborted === true)
      throw new Error(
        `Temporal does not start: ${failure}. Its log: ${logFile}\n${await tailOf(logFile)}`,
      )
  }
}

function serverArguments(
  options: TemporalServerOptions,
  { port, uiPort, namespace }: { port: number; uiPort: number | 'off'; namespace: string },
): string[] {
  const settings = [
    'system.enableActivityEagerExecution=true',
    // Tasks go to one partition. All are read, since an older version's server may have left tasks
    // in the others.
    'matching.numTaskqueueWritePartitions=1',
    ...(options.settings ?? []),
  ].flatMap((setting) => ['--dynamic-config-value', setting])
  // Present from the first start on; the API adds them to a namespace of an older data file.
  const attributes = Object.values(searchAttributes).flatMap(({ name, type }) => [
    '--search-attribute',
    `${name}=${nameOfType[type]}`,
  ])
  const ui =
    uiPort === 'off' ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-ip', loopbackHost]
  const disk =
    options.dataFile === undefined
      ? []
      : [
          '--db-filename',
          options.dataFile,
          '--sqlite-pragma',
          'journal_mode=WAL',
          '--sqlite-pragma',
          'synchronous=FULL',
        ]
  const names = namespace === 'default' ? [] : ['--namespace', namespace]
  const listen = [
    '--ip',
    loopbackHost,
    '--port',
    String(port),
    '--log-level',
    'warn',
    '--log-format',
    'json',
  ]
  return ['server', 'start-dev', ...listen, ...ui, ...names, ...attributes, ...settings, ...disk]
}

async function takePorts(options: TemporalServerOptions): Promise<TemporalPorts> {
  const { port, uiPort } = options
  return {
    port: await takePort('Temporal', port, options),
    uiPort: uiPort === 'off' ? 'off' : await takePort("Temporal's web UI", uiPort, options),
  }
}

async function takePort(
  what: string,
  preferredPort: number | undefined,
  { log, keepPort = false }: TemporalServerOptions,
): Promise<number> {
  const port = await choosePort(preferredPort, { host: loopbackHost, keep: keepPort })
  if (preferredPort !== undefined && port !== preferredPort)
    log(`port ${preferredPort} is taken: ${what} listens on ${port}`)
  return port
}

/** Records the server's process for the next start; a server that cannot be recorded is ended. */
async function nameServer(dataFile: string, server: LaunchedServer): Promise<void> {
  try {
    await writeIdentityFile(`${dataFile}.pid`, server.identity)
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function endLeftover(dataFile: string, log: (sentence: string) => void): Promise<void> {
  await mkdir(dirname(dataFile), { recursive: true })
  const leftover = await readRunningProcess(`${dataFile}.pid`)
  if (leftover === null) return
  log(
    `a Temporal server of an earlier start still runs here (process ${leftover.pid}): stopping it`,
  )
  await endProcess(leftover, { signal: 'SIGTERM', graceMs: 15_000 })
}

function defaultLogFile(dataFile: string | undefined): string {
  return dataFile === undefined
    ? join(tmpdir(), `countersign-temporal-${process.pid}.log`)
    : `${dataFile}.log`
}
