import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
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
    env: { ...options.env, [LIFELINE_VARIABLE]: '3' },
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
  const word = readWord(lifeline)
  if (identity === null)
    throw new Error(`${options.args[0]} could not be started; its log: ${options.logFile}`)
  const outcome = await Promise.race([
    word,
    // What it said just before it ended still counts.
    exited.then(async (code) => (await word) ?? `it ended with code ${code}`),
    timeout(options.readyTimeoutMs),
  ])
  if (outcome !== 'ready') {
    await endProcess(identity, { signal: 'SIGTERM', graceMs: 2_000 })
    if (outcome?.startsWith('refused ')) throw new ServiceRefused(outcome.slice('refused '.length))
    throw new Error(
      `${options.args[0]} does not start: ${outcome ?? 'it closed its lifeline'}. Its log: ${options.logFile}`,
    )
  }
  return {
    identity,
    exited,
    stop: () => endProcess(identity, { signal: 'SIGTERM', graceMs: options.graceMs }),
  }
}

/** The first line that the child says: `ready` or `refused SENTENCE`. `null` when it closes without one. */
function readWord(lifeline: Duplex): Promise<string | null> {
  return new Promise((resolve) => {
    let text = ''
    lifeline.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
    lifeline.once('error', () => resolve(null))
    lifeline.once('close', () => resolve(null))
  })
}

function timeout(afterMs: number): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(`it was not ready within ${afterMs / 1000} s`), afterMs).unref()
  })
}

/** Appended to; a log that has grown large makes room once, keeping the one before. */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}
