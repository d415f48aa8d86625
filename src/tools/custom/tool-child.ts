import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { readLines } from './bounded-lines.ts'
import { readFromMessage } from './from-message.ts'
import type { FromMessage, ProcessLoad, ToolAnswers, ToolQuery } from './tool-protocol.ts'

/**
 * A tool process ended, was ended, or broke the protocol before it answered: its effect is unknown.
 */
export class ToolProcessEnded extends Error {
  override readonly name = 'ToolProcessEnded'
}

/** The process ended before it accepted the query: no work began, so another process may try. */
export class QueryNotAccepted extends ToolProcessEnded {}

/** The tool process answered that the query failed: the tool's own error. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
}

export interface RequestOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal | null
}

/**
 * A child process that answers queries, one at a time; disposing ends its whole process group.
 */
export interface QueryChild<
  Query extends { readonly do: string },
  Answers extends Readonly<Record<Query['do'], unknown>>,
> extends AsyncDisposable {
  readonly alive: boolean
  /** tools have left so many resources in it that the next query goes to another process */
  readonly isExhausted: boolean
  request<Q extends Query>(query: Q, options: RequestOptions): Promise<Answers[Q['do']]>
}

/** One tool process. */
export type ToolChild = QueryChild<ToolQuery, ToolAnswers>

export interface ChildStart {
  /** its entry, which serves queries (`serve-queries.ts`) */
  readonly main: URL
  /** a module that it, and each thread in it, loads before any other */
  readonly preload?: URL
  readonly cwd: string
  /** its whole environment */
  readonly environment: Readonly<Record<string, string>>
  readonly maxAnswerBytes: number
  /** gets what it reports of messages to others; absent: it sends none, or nobody counts them */
  readonly onEnded?: (message: unknown) => void
}

/**
 * How long a tool has to react to cancellation before its process group is terminated, then killed.
 */
const cooperationMs = 2000
const terminationMs = 500
const lastWordsMs = 5000
const lastOutputBytes = 4096
const memoryMb = 1024
/**
 * What a process may hold between two queries: far below its limit, and far above one without
 * leaks.
 */
const maxLeftBehind: ProcessLoad = { memoryBytes: 512 * 1024 * 1024, resources: 200 }

/** Starts a tool process of a project. */
export function startToolChild(
  projectDir: string,
  environment: Readonly<Record<string, string>>,
  maxAnswerBytes: number,
): ToolChild {
  return startChild<ToolQuery, ToolAnswers>({
    main: new URL('process/main.ts', import.meta.url),
    preload: new URL('process/module-hooks.ts', import.meta.url),
    cwd: projectDir,
    environment,
    maxAnswerBytes,
  })
}

/**
 * Starts a child in a process group of its own, with a lifeline: it ends when this process ends.
 * Its output is bounded, and its answers are its only channel.
 */
export function startChild<
  Query extends { readonly do: string },
  Answers extends Readonly<Record<Query['do'], unknown>>,
>({
  main,
  preload,
  cwd,
  environment,
  maxAnswerBytes,
  onEnded,
}: ChildStart): QueryChild<Query, Answers> {
  const options = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${memoryMb}`]
  if (preload !== undefined) options.push(`--import=${preload.href}`)
  const child = spawn(process.execPath, [...options, fileURLToPath(main)], {
    cwd,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const pipes: readonly unknown[] = child.stdio
  const [stdout, stderr] = [readablePipe(pipes[1]), readablePipe(pipes[2])]
  const [queries, answers] = [writablePipe(pipes[3]), readablePipe(pipes[4])]
  const lifeline = writablePipe(pipes[5])
  const printed = lastOf(stdout, stderr)
  for (const stream of [queries, lifeline]) stream.on('error', () => undefined)

  const end = Promise.withResolvers<never>()
  end.promise.catch(() => undefined)
  let hasEnded = false
  const noteEnd = (how: string): void => {
    hasEnded = true
    const output = printed().trim()
    const words = output === '' ? '' : ` Its last output: ${output.slice(-500)}`
    end.reject(new ToolProcessEnded(`The tool's process ${how} before it answered.${words}`))
  }
  child.once('error', (error) => noteEnd(`could not be started (${error.message})`))

  let isExhausted = false
  let pending: PendingQuery | null = null as PendingQuery | null
  let hasReadAll = false
  const reading = (async () => {
    try {
      for await (const line of readLines(answers, maxAnswerBytes)) {
        const message = readFromMessage(line)
        if ('loading' in message) pending?.startLoading(message.loading)
        else if ('ended' in message) onEnded?.(message.ended)
        else if ('accepted' in message) pending?.accept(message.accepted)
        else if (message.id === pending?.id) pending.answer(message)
      }
      hasReadAll = true
    } catch (error) {
      noteEnd(`broke the protocol (${error instanceof Error ? error.message : 'unknown'})`)
      await terminate()
    }
  })()
  child.once('exit', (code, signal) => {
    hasEnded = true
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
    // Answers from before its end may still be in the pipe.
    void within(lastWordsMs, reading).then(() => noteEnd(how))
  })

  let lastId = 0

  async function request<Q extends Query>(
    query: Q,
    { timeoutMs, signal }: RequestOptions,
  ): Promise<Answers[Q['do']]> {
    signal?.throwIfAborted()
    if (pending !== null) throw new TypeError('A tool process answers one query at a time')
    lastId += 1
    let loading: string | null = null
    let isAccepted = false
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const id = lastId
    pending = {
      id,
      accept: (query) => (isAccepted ||= query === id),
      startLoading: (file) => (loading = file),
      answer: resolve,
    }
    const stop = stopSignal(timeoutMs, signal)
    try {
      write({ ...query, id: lastId })
      const first = await Promise.race([promise, end.promise, stop.promise])
      const answer = first === 'stop' ? await giveUp(promise) : first
      if (answer === null) {
        const what =
          loading === null ? 'did not answer' : `did not finish loading ${String(loading)}`
        const why =
          signal?.aborted === true
            ? 'The call was cancelled'
            : `It ${what} in ${timeoutMs / 1000} s`
        throw new ToolProcessEnded(`${why}, and the tool's process was ended.`)
      }
      const { memoryBytes, resources } = answer.left
      isExhausted = memoryBytes > maxLeftBehind.memoryBytes || resources > maxLeftBehind.resources
      if (!answer.ok) throw new ToolFailed(answer.problem)
      // The process around the tool is the service's own code: it answers each query with its own
      // kind of answer.
      return answer.value as Answers[Q['do']]
    } catch (error) {
      const mayHaveRun = isAccepted || !hasReadAll || !(error instanceof ToolProcessEnded)
      throw mayHaveRun ? error : new QueryNotAccepted(error.message)
    } finally {
      stop.clear()
      pending = null
    }
  }

  /**
   * Asks the tool to stop; returns its answer when it does so in time, else `null`, and its process
   * group has ended.
   */
  async function giveUp(answered: Promise<Answer>): Promise<Answer | null> {
    write({ do: 'abort' })
    const answer = await within(
      cooperationMs,
      Promise.race([answered, end.promise.catch(() => null)]),
    )
    if (answer === null) await terminate()
    return answer
  }

  async function terminate(): Promise<void> {
    if (child.pid === undefined) return
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
    signalGroup(child.pid, 'SIGTERM')
    if (exited !== null) await within(terminationMs, exited)
    signalGroup(child.pid, 'SIGKILL')
    await exited
    for (const stream of [queries, lifeline, stdout, stderr, answers]) stream.destroy()
  }

  function write(message: (Query & { readonly id: number }) | { readonly do: 'abort' }): void {
    queries.write(`${JSON.stringify(message)}\n`)
  }

  return {
    get alive() {
      return !hasEnded
    },
    get isExhausted() {
      return isExhausted
    },
    request,
    [Symbol.asyncDispose]: terminate,
  }
}

/** The query that is being worked on. */
interface PendingQuery {
  readonly id: number
  accept(query: number): void
  startLoading(file: string): void
  answer(message: Answer): void
}

type Answer = Extract<FromMessage, { id: number }>

function readablePipe(pipe: unknown): Readable {
  if (!(pipe instanceof Readable)) throw new TypeError('A tool process has no such pipe')
  return pipe
}

function writablePipe(pipe: unknown): Writable {
  if (!(pipe instanceof Writable)) throw new TypeError('A tool process has no such pipe')
  return pipe
}

function stopSignal(
  timeoutMs: number,
  signal: AbortSignal | null,
): { readonly promise: Promise<'stop'>; clear(): void } {
  const { promise, resolve } = Promise.withResolvers<'stop'>()
  const stop = (): void => resolve('stop')
  const timer = setTimeout(stop, timeoutMs)
  signal?.addEventListener('abort', stop, { once: true })
  return {
    promise,
    clear() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    },
  }
}

/** The promise's value, or `null` at the limit. */
async function within<T>(limitMs: number, promise: Promise<T>): Promise<T | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), limitMs)
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is gone already.
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
