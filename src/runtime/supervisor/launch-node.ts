import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { tailOf } from '../processes/tail-of.ts'
import { cacheFolder, checkoutFolder } from '../folders.ts'
import { endProcess, sendSignal } from '../processes/end-process.ts'
import { lifelineVariable } from '../processes/lifeline.ts'
import { identifyProcess } from '../processes/process-identity.ts'
import { ServiceRefused, type RunningService } from './supervise.ts'
import { watchTurns } from './watch-turns.ts'

const maxLogBytes = 50 * 1024 * 1024

/**
 * V8 keeps up to three times this many MiB for new objects, also while a process rests (default: 16
 * MiB). With less, a start takes more processor time for collections (bench/README.md, idle).
 */
const newObjects = '--max-semi-space-size=8'

/**
 * Settings of glibc's allocator, from which the native parts of Node and the SDK get memory.
 * Without them, each thread keeps the memory that it once used in an arena of its own, and large
 * freed blocks stay with the process. Other C libraries ignore them.
 */
const allocation = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

export interface NodeServiceOptions {
  /** The file that starts the command `countersign`. */
  readonly entry: string
  /** Arguments of the `countersign` command. */
  readonly args: readonly string[]
  readonly env: Record<string, string>
  readonly logFile: string
  /** The longest time without a message, including about what it waits for. */
  readonly readyTimeoutMs: number
  /** called with what it waits for */
  readonly onWaiting?: (sentence: string) => void
  /** called with each sentence for the person at the terminal, at any time */
  readonly onSays?: (sentence: string) => void
  /** between the signal and the kill */
  readonly graceMs: number
  /** A serving process that has not reported for this long that its event loop runs is killed. */
  readonly silentMs: number
  /** Aborts the start: whatever was started is ended, and the start rejects. */
  readonly stop?: AbortSignal
}

/**
 * Starts one of the server processes in its own process group, with a lifeline, and waits until it
 * reports that it serves. Throws `ServiceRefused` with its sentence when it refuses to serve,
 * otherwise an error that names its log.
 */
export async function launchNode(options: NodeServiceOptions): Promise<RunningService> {
  const log = openLog(options.logFile)
  const child = spawn(process.execPath, [newObjects, options.entry, ...options.args], {
    cwd: checkoutFolder,
    env: {
      NODE_COMPILE_CACHE: join(cacheFolder(options.env), 'compiled'),
      ...allocation,
      ...options.env,
      [lifelineVariable]: '3',
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
  lifeline.on('error', () => undefined)
  const identity = child.pid === undefined ? null : identifyProcess(child.pid)
  if (identity === null) {
    throw new Error(`${options.args[0]} could not be started; its log: ${options.logFile}`)
  }
  const silence = timeout(options.readyTimeoutMs)
  const words = listenTo(lifeline, {
    waits: (sentence) => {
      silence.again()
      options.onWaiting?.(sentence)
    },
    says: (sentence) => options.onSays?.(sentence),
  })
  const outcome = await Promise.race([
    words.ready.then(() => 'ready'),
    words.closed.then(() => exited).then((code) => `it ended with code ${code}`),
    silence.over,
    waitForAbort(options.stop),
  ])
  if (outcome !== 'ready') {
    await endProcess(identity, { signal: 'SIGTERM', graceMs: 2_000 })
    const refusal = words.refusal()
    if (refusal !== null) throw new ServiceRefused(refusal)
    throw new Error(
      `${options.args[0]} does not start: ${outcome}. Its log: ${options.logFile}\n${await tailOf(options.logFile)}`,
    )
  }
  const watch = watchTurns({
    silentMs: options.silentMs,
    onWedged: () => void sendSignal(identity, 'SIGKILL'),
  })
  words.onTurn(watch.recordTurn)
  void exited.then(() => watch[Symbol.dispose]())
  return {
    identity,
    exited,
    refusal: words.refusal,
    isWedged: () => watch.isWedged,
    stop: () => endProcess(identity, { signal: 'SIGTERM', graceMs: options.graceMs }),
  }
}

interface Words {
  readonly ready: Promise<void>
  readonly closed: Promise<void>
  readonly refusal: () => string | null
  readonly onTurn: (onReport: () => void) => void
}

/** A function for each word that precedes a sentence of the child. */
type Listeners = Readonly<Record<'waits' | 'says', (sentence: string) => void>>

/**
 * The messages of the child over its lifeline, line by line: `ready`, `turns`, `waits SENTENCE`,
 * `says SENTENCE` or `refused SENTENCE` (JSON).
 */
function listenTo(lifeline: Duplex, listeners: Listeners): Words {
  let refusal: string | null = null
  let reportTurn: () => void = () => undefined
  const ready = Promise.withResolvers<void>()
  const lines = createInterface({ input: lifeline })
  lines.on('line', (line) => {
    const [word = ''] = line.split(' ', 1)
    const sentence = (): string => JSON.parse(line.slice(word.length)) as string
    if (word === 'turns') reportTurn()
    else if (word === 'ready') ready.resolve()
    else if (word === 'waits' || word === 'says') listeners[word](sentence())
    else if (word === 'refused') refusal = sentence()
  })
  const closed = new Promise<void>((resolve) => lines.once('close', resolve))
  const onTurn = (tell: () => void): void => {
    reportTurn = tell
  }
  return { ready: ready.promise, closed, refusal: () => refusal, onTurn }
}

/** Resolves when nothing arrives for this time; `again` restarts the time. */
function timeout(afterMs: number): { over: Promise<string>; again: () => void } {
  const { promise: over, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve(`it was not ready within ${afterMs / 1000} s`), afterMs)
  timer.unref()
  return { over, again: () => void timer.refresh() }
}

/** Never resolves without a signal. */
function waitForAbort(signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve) => {
    const settle = (): void => resolve('it was stopped while it started')
    if (signal?.aborted === true) settle()
    else signal?.addEventListener('abort', settle, { once: true })
  })
}

/** Opens the log for appending; a large one is renamed once, replacing the one before. */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}
