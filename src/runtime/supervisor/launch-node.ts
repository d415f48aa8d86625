import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { cacheFolder } from '../cache-folder.ts'
import { CHECKOUT } from '../folders.ts'
import { endProcess } from '../processes/end-process.ts'
import { LIFELINE_VARIABLE } from '../processes/lifeline.ts'
import { identifyProcess } from '../processes/process-identity.ts'
import { ServiceRefused } from './running-service.ts'
import type { RunningService } from './running-service.ts'

const ENTRY = join(CHECKOUT, 'src', 'cli', 'main.ts')
const LOG_LIMIT_BYTES = 50 * 1024 * 1024

export type NodeServiceOptions = {
  /** Arguments of the `countersign` command. */
  args: string[]
  env: Record<string, string>
  logFile: string
  readyTimeoutMs: number
  /** Between the polite signal and the kill. */
  graceMs: number
  /** Aborts when it is not wanted any more: what was started is ended and the start rejects. */
  stop?: AbortSignal
}

/**
 * Start one of our own server processes in a process group of its own, with a lifeline, and wait
 * until it says that it serves.
 *
 * Throws `ServiceRefused` with its sentence when it refuses to serve, else an error that names its log.
 */
export async function launchNode(options: NodeServiceOptions): Promise<RunningService> {
  const log = openLog(options.logFile)
  const child = spawn(process.execPath, [ENTRY, ...options.args], {
    cwd: CHECKOUT,
    env: {
      NODE_COMPILE_CACHE: join(cacheFolder(options.env), 'compiled'),
      ...options.env,
      [LIFELINE_VARIABLE]: '3',
    },
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  })
  closeSync(log)
  const exited = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127))
    child.once('exit', (code) => resolve(code ?? 137))
  })
  const lifeline = child.stdio[3] as Duplex
  const identity = child.pid === undefined ? null : identifyProcess(child.pid)
  const words = listenTo(lifeline)
  if (identity === null) {
    throw new Error(`${options.args[0]} could not be started; its log: ${options.logFile}`)
  }
  const outcome = await Promise.race([
    words.ready.then(() => 'ready'),
    words.closed.then(() => exited).then((code) => `it ended with code ${code}`),
    timeout(options.readyTimeoutMs),
    aborted(options.stop),
  ])
  if (outcome !== 'ready') {
    await endProcess(identity, { signal: 'SIGTERM', graceMs: 2_000 })
    const refusal = words.refusal()
    if (refusal !== null) throw new ServiceRefused(refusal)
    throw new Error(
      `${options.args[0]} does not start: ${outcome}. Its log: ${options.logFile}\n${tailOf(options.logFile)}`,
    )
  }
  return {
    identity,
    exited,
    refusal: words.refusal,
    stop: () => endProcess(identity, { signal: 'SIGTERM', graceMs: options.graceMs }),
  }
}

type Words = { ready: Promise<void>; closed: Promise<void>; refusal: () => string | null }

/** What the child says over its lifeline, line by line: `ready`, or `refused SENTENCE` (JSON). */
function listenTo(lifeline: Duplex): Words {
  let refusal: string | null = null
  let say: () => void = () => undefined
  const ready = new Promise<void>((resolve) => {
    say = resolve
  })
  const lines = createInterface({ input: lifeline })
  lines.on('line', (line) => {
    if (line === 'ready') say()
    else if (line.startsWith('refused '))
      refusal = JSON.parse(line.slice('refused '.length)) as string
  })
  lifeline.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => lines.once('close', resolve))
  return { ready, closed, refusal: () => refusal }
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
}

function timeout(afterMs: number): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(`it was not ready within ${afterMs / 1000} s`), afterMs).unref()
  })
}

/** Never resolves without a signal. */
function aborted(signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve) => {
    const say = (): void => resolve('it was stopped while it started')
    if (signal?.aborted === true) say()
    else signal?.addEventListener('abort', say, { once: true })
  })
}

/** Appended to; a log that has grown large makes room once, keeping the one before. */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}
