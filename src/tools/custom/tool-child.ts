import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Json } from '../../domain/json.ts'
import { readLines } from './bounded-lines.ts'
import type {
  FromMessage,
  LeftBehind,
  ToolAnswers,
  ToolProcessSetup,
  ToolQuestion,
} from './tool-protocol.ts'

/** A tool process ended, was ended, or broke the protocol before it answered: what it did is not known. */
export class ToolProcessEnded extends Error {
  override readonly name = 'ToolProcessEnded'
}

/** The process ended before it took the question: nothing was begun, so another may be asked. */
export class QuestionNotTaken extends ToolProcessEnded {}

/** The tool process answered that the question failed: the tool's own error. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
}

export interface AskOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal | null
}

/** A child process that answers questions, one at a time; disposing ends its whole process group. */
export interface AskedChild<
  Question extends { readonly do: string },
  Answers extends Readonly<Record<Question['do'], unknown>>,
> extends AsyncDisposable {
  readonly alive: boolean
  /** tools have left so much behind in it that the next question is better asked of another */
  readonly worn: boolean
  ask<Q extends Question>(question: Q, options: AskOptions): Promise<Answers[Q['do']]>
}

/** One tool process. */
export type ToolChild = AskedChild<ToolQuestion, ToolAnswers>

export interface ChildStart {
  /** its entry, which serves questions (`serve-questions.ts`) */
  readonly main: URL
  /** its only argument, which other users of the host can read */
  readonly setup: Json
  readonly cwd: string
  /** all it inherits */
  readonly environment: Readonly<Record<string, string>>
  readonly maxAnswerBytes: number
}

/** How long a tool has to react to cancellation before its process group is terminated, then killed. */
const cooperationMs = 2000
const terminationMs = 500
const lastWordsMs = 5000
const keptOutputBytes = 4096
const memoryMb = 1024
/** What a process may hold between two questions: far from its limit, and far more than one that leaks nothing. */
const mostLeft: LeftBehind = { memoryBytes: 512 * 1024 * 1024, resources: 200 }

/** Starts a tool process of a project. */
export function startToolChild(
  setup: ToolProcessSetup,
  environment: Readonly<Record<string, string>>,
  maxAnswerBytes: number,
): ToolChild {
  const main = new URL('process/main.ts', import.meta.url)
  const { projectDir, entries, hashes, maxResultBytes } = setup
  const plain = { projectDir, entries: [...entries], hashes: { ...hashes }, maxResultBytes }
  return startChild<ToolQuestion, ToolAnswers>({
    main,
    setup: plain,
    cwd: projectDir,
    environment,
    maxAnswerBytes,
  })
}

/**
 * Starts a child in a process group of its own, with a lifeline: when we die, however, it dies. Nothing it writes is let
 * past the bounds, and it has no channel to us but the answers.
 */
export function startChild<
  Question extends { readonly do: string },
  Answers extends Readonly<Record<Question['do'], unknown>>,
>({ main, setup, cwd, environment, maxAnswerBytes }: ChildStart): AskedChild<Question, Answers> {
  const options = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${memoryMb}`]
  const child = spawn(process.execPath, [...options, fileURLToPath(main), JSON.stringify(setup)], {
    cwd,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const [, stdout, stderr, questions, answers, lifeline] = child.stdio as unknown as [
    null,
    Readable,
    Readable,
    Writable,
    Readable,
    Writable,
  ]
  const printed = lastOf(stdout, stderr)
  for (const stream of [questions, lifeline]) stream.on('error', () => undefined)

  const end = Promise.withResolvers<never>()
  end.promise.catch(() => undefined)
  let ended = false
  const noteEnd = (how: string): void => {
    ended = true
    const said = printed().trim()
    const words = said === '' ? '' : ` Its last words: ${said.slice(-500)}`
    end.reject(new ToolProcessEnded(`The tool's process ${how} before it answered.${words}`))
  }
  child.once('error', (error) => noteEnd(`could not be started (${error.message})`))

  let worn = false
  let pending: Pending | null = null as Pending | null
  let heardAll = false
  const reading = (async () => {
    try {
      for await (const line of readLines(answers, maxAnswerBytes)) {
        const message = JSON.parse(line) as FromMessage
        if ('loading' in message) pending?.loading(message.loading)
        else if ('taken' in message) pending?.taken(message.taken)
        else if (message.id === pending?.id) pending.answer(message)
      }
      heardAll = true
    } catch (error) {
      noteEnd(`broke the protocol (${error instanceof Error ? error.message : 'unknown'})`)
      await terminate()
    }
  })()
  child.once('exit', (code, signal) => {
    ended = true
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
    // What it answered before it ended may still be on its way to us.
    void within(lastWordsMs, reading).then(() => noteEnd(how))
  })

  let lastId = 0

  async function ask<Q extends Question>(
    question: Q,
    { timeoutMs, signal }: AskOptions,
  ): Promise<Answers[Q['do']]> {
    signal?.throwIfAborted()
    if (pending !== null) throw new TypeError('A tool process is asked one thing at a time')
    lastId += 1
    let loading: string | null = null
    let taken = false
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const id = lastId
    pending = {
      id,
      taken: (question) => (taken ||= question === id),
      loading: (file) => (loading = file),
      answer: resolve,
    }
    const stop = stopSignal(timeoutMs, signal)
    try {
      write({ ...question, id: lastId })
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
      worn = memoryBytes > mostLeft.memoryBytes || resources > mostLeft.resources
      if (!answer.ok) throw new ToolFailed(answer.problem)
      // The process is our own code around the tool: it answers each question with its own kind of answer.
      return answer.value as Answers[Q['do']]
    } catch (error) {
      const begun = taken || !heardAll || !(error instanceof ToolProcessEnded)
      throw begun ? error : new QuestionNotTaken(error.message)
    } finally {
      stop.clear()
      pending = null
    }
  }

  /** Asks the tool to stop; its answer when it does so in time, else `null` and its process group is gone. */
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
    for (const stream of [questions, lifeline, stdout, stderr, answers]) stream.destroy()
  }

  function write(message: (Question & { readonly id: number }) | { readonly do: 'abort' }): void {
    questions.write(`${JSON.stringify(message)}\n`)
  }

  return {
    get alive() {
      return !ended
    },
    get worn() {
      return worn
    },
    ask,
    [Symbol.asyncDispose]: terminate,
  }
}

/** The question that is being worked on. */
interface Pending {
  readonly id: number
  taken(question: number): void
  loading(file: string): void
  answer(message: Answer): void
}

type Answer = Extract<FromMessage, { id: number }>

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

/** The promise's value, or `null` after so long. */
async function within<T>(limitMs: number, promise: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), limitMs)
  try {
    return await Promise.race([promise, late])
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

/** Reads everything, so that no tool waits for a full pipe, and remembers the end of it. */
function lastOf(...streams: readonly Readable[]): () => string {
  let kept = Buffer.alloc(0)
  for (const stream of streams) {
    stream.on('error', () => undefined)
    stream.on('data', (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk]).subarray(-keptOutputBytes)
    })
  }
  return () => kept.toString('utf8')
}
