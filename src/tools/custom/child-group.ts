import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { hasPipes } from '#sandbox/process/has-pipes.ts'
import { valueWithin } from './value-within.ts'

export interface ChildStart {
  /** its entry, which serves queries (`serve-queries.ts`) */
  readonly main: URL
  /** a module that it, and each thread in it, loads before any other */
  readonly preload?: URL
  readonly cwd: string
  /** its whole environment */
  readonly environment: Readonly<Record<string, string>>
}

/** How long a process group has to end before it is killed. */
const terminationMs = 500
const lastOutputBytes = 4096
const memoryMb = 1024

/** A child in a process group of its own, with the pipes of its queries and answers. */
export interface ChildGroup {
  readonly child: ChildProcess
  readonly queries: Writable
  readonly answers: Readable
  /** the end of what it printed */
  lastOutput(): string
  /** Ends the whole group, and resolves once the child has ended. */
  terminate(): Promise<void>
}

/**
 * Starts a child with a lifeline: it ends when this process ends. `null`: no file descriptor is
 * free for its pipes.
 */
export function startChildGroup(start: ChildStart): ChildGroup | null {
  const { main, preload, cwd, environment } = start
  const options = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${memoryMb}`]
  if (preload !== undefined) options.push(`--import=${preload.href}`)
  const child = spawn(process.execPath, [...options, fileURLToPath(main)], {
    cwd,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  if (!hasPipes(child)) return null
  const pipes: readonly unknown[] = child.stdio
  const [stdout, stderr] = [readablePipe(pipes[1]), readablePipe(pipes[2])]
  const [queries, answers] = [writablePipe(pipes[3]), readablePipe(pipes[4])]
  const lifeline = writablePipe(pipes[5])
  for (const stream of [queries, lifeline]) stream.on('error', () => undefined)
  return {
    child,
    queries,
    answers,
    lastOutput: lastOf(stdout, stderr),
    async terminate() {
      if (child.pid === undefined) return
      const isOver = child.exitCode !== null || child.signalCode !== null
      const exit = isOver ? null : once(child, 'exit')
      signalGroup(child.pid, 'SIGTERM')
      if (exit !== null) await valueWithin(terminationMs, exit)
      signalGroup(child.pid, 'SIGKILL')
      await exit
      for (const stream of [queries, lifeline, stdout, stderr, answers]) stream.destroy()
    },
  }
}

function readablePipe(pipe: unknown): Readable {
  if (!(pipe instanceof Readable)) throw new TypeError('A tool process has no such pipe')
  return pipe
}

function writablePipe(pipe: unknown): Writable {
  if (!(pipe instanceof Writable)) throw new TypeError('A tool process has no such pipe')
  return pipe
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}

/** Reads all output, so that no tool waits for a full pipe, and remembers the end of it. */
function lastOf(...streams: readonly Readable[]): () => string {
  let output = Buffer.alloc(0)
  for (const stream of streams) {
    stream.on('error', () => undefined)
    stream.on('data', (chunk: Buffer) => {
      output = Buffer.concat([output, chunk]).subarray(-lastOutputBytes)
    })
  }
  return () => output.toString('utf8')
}
