import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import type { CommandLimits } from './command-limits.ts'
import { collectOutput, type StreamOutput } from './command-end.ts'

/** The resources of a command that count against its limits. */
export interface CommandUse {
  readonly processes: number
  readonly memoryBytes: number
  readonly writtenBytes: number
  readonly files: number
  /** why they cannot be measured: the rest of a sentence */
  readonly problem: string | null
  /** the kernel ended a part of it for lack of memory */
  readonly outOfMemory: boolean
}

/** Gets the stored part of a command's output while it runs. */
export type OutputListener = (stream: OutputStream, bytes: Uint8Array) => void

/** A started command, with functions to measure and end it. */
export interface StartedCommand {
  readonly stdout: Readable
  readonly stderr: Readable
  /** the exit code, once its streams are closed too */
  readonly closed: Promise<number>
  use(): CommandUse
  /** asks the command itself to end */
  askToEnd(): void
  /** ends all of it at once; harmless when nothing is left */
  end(): void
}

/** How a command ended within its bounds. */
export interface WatchedEnd {
  readonly code: number
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  readonly timedOut: boolean
  /** `signal` ended it */
  readonly isStopped: boolean
  /** the limit that ended it, as a sentence */
  readonly exceeded: string | null
}

const watchEveryMs = 100
/** How long a command may take to end by itself after SIGTERM. */
const graceMs = 500

/** Enforces a command's limits until its end (security.md 9). Rejects when `closed` does. */
export async function watchCommand(
  command: StartedCommand,
  bounds: {
    readonly limits: CommandLimits
    readonly timeoutMs: number
    readonly signal: AbortSignal
    readonly onOutput?: OutputListener
  },
): Promise<WatchedEnd> {
  const { limits, signal } = bounds
  let exceeded: string | null = null
  let [timedOut, isStopped] = [false, false]
  const endFor = (why: string): void => {
    if (exceeded !== null || timedOut || isStopped) return
    exceeded = why
    command.end()
  }
  const keep = (stream: OutputStream, name: string): (() => StreamOutput) =>
    collectOutput(command[stream], limits.outputBytes, {
      data: (bytes) => bounds.onOutput?.(stream, bytes),
      overflow: () =>
        endFor(`It wrote more than ${limits.outputBytes} bytes to ${name} and was ended.`),
    })
  const stdout = keep('stdout', 'standard output')
  const stderr = keep('stderr', 'standard error')
  const look = (): void => {
    const over = excess(command.use(), limits)
    if (over !== null) endFor(over)
  }
  const watch = setInterval(look, watchEveryMs)
  const askToEnd = async (): Promise<void> => {
    command.askToEnd()
    await Promise.race([command.closed.catch(() => null), delay(graceMs)])
    command.end()
  }
  const onTime = setTimeout(() => {
    if (isStopped || exceeded !== null) return
    timedOut = true
    void askToEnd()
  }, bounds.timeoutMs)
  const onStop = (): void => {
    isStopped = true
    void askToEnd()
  }
  if (signal.aborted) onStop()
  else signal.addEventListener('abort', onStop, { once: true })
  try {
    const code = await command.closed
    // When the kernel ends a part for lack of memory, the whole command may have ended with it.
    if (exceeded === null && command.use().outOfMemory) exceeded = noMemory(limits)
    return { code, stdout: stdout(), stderr: stderr(), timedOut, isStopped, exceeded }
  } finally {
    clearInterval(watch)
    clearTimeout(onTime)
    signal.removeEventListener('abort', onStop)
    command.end()
  }
}

function excess(use: CommandUse, limits: CommandLimits): string | null {
  if (use.outOfMemory || use.memoryBytes > limits.memoryBytes) return noMemory(limits)
  if (use.processes > limits.processes) {
    return `It had more than ${limits.processes} processes and was ended.`
  }
  if (use.writtenBytes > limits.writtenBytes) {
    return `It wrote more than ${limits.writtenBytes} bytes to disk and was ended.`
  }
  if (use.files > limits.files) {
    return `It made or changed more than ${limits.files} files and was ended.`
  }
  if (use.problem !== null) {
    return `Its memory and files cannot be bounded on this host, because ${use.problem}: it was ended.`
  }
  return null
}

function noMemory({ memoryBytes }: CommandLimits): string {
  return `It used more than ${memoryBytes} bytes of memory and was ended.`
}
