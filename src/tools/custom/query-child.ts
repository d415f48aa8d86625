import { tooManyFiles } from '#sandbox/process/has-pipes.ts'
import { boundedLines } from './bounded-lines.ts'
import { startChildGroup, type ChildGroup, type ChildStart } from './child-group.ts'
import { readFromMessage } from './from-message.ts'
import type { FromMessage, ProcessLoad } from './tool-protocol.ts'
import { valueWithin } from './value-within.ts'

/** A tool process ended or broke the protocol before its answer: the effect is unknown. */
export class ToolProcessEnded extends Error {
  override readonly name = 'ToolProcessEnded'
}

/** The process ended before it accepted the query: no work began, and another may be tried. */
export class QueryNotAccepted extends ToolProcessEnded {}

/** The tool process answered that the query failed: the tool's own error. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
}

export interface RequestOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal | null
}

/** A child process that answers queries one at a time; disposing ends its process group. */
export interface QueryChild<
  Query extends { readonly do: string },
  Answers extends Readonly<Record<Query['do'], unknown>>,
> extends AsyncDisposable {
  readonly isAlive: boolean
  /** tools have left so many resources in it that the next query goes to another process */
  readonly isExhausted: boolean
  request<Q extends Query>(query: Q, options: RequestOptions): Promise<Answers[Q['do']]>
}

/** How the answers of a child are read. */
export interface AnswerOptions {
  readonly maxAnswerBytes: number
  /** gets its reports of messages to others; absent: it sends none, or nobody counts */
  readonly onEnded?: (message: unknown) => void
}

/** How long a tool has to react to cancellation before its process group is ended. */
const cooperationMs = 2000
/** How long the answers that a child has sent before its end are read. */
const lastAnswersMs = 5000
/** What a process may hold between queries: above one without leaks, below its limit. */
const maxLeftBehind: ProcessLoad = { memoryBytes: 512 * 1024 * 1024, resources: 200 }

/**
 * Starts a child. Its output is bounded, and its answers are its only channel. Throws
 * `QueryNotAccepted` where no file descriptor is free.
 */
export function startChild<
  Query extends { readonly do: string },
  Answers extends Readonly<Record<Query['do'], unknown>>,
>(start: ChildStart & AnswerOptions): QueryChild<Query, Answers> {
  const group = startChildGroup(start)
  if (group === null) {
    throw new QueryNotAccepted(`The tool's process could not be started: ${tooManyFiles}.`)
  }
  return new OneAtATime<Query, Answers>(group, start)
}

class OneAtATime<
  Query extends { readonly do: string },
  Answers extends Readonly<Record<Query['do'], unknown>>,
> implements QueryChild<Query, Answers> {
  readonly #group: ChildGroup
  readonly #end = Promise.withResolvers<never>()
  #alive = true
  #isExhausted = false
  #pending: PendingQuery | null = null
  #hasReadAll = false
  #lastId = 0

  constructor(group: ChildGroup, options: AnswerOptions) {
    this.#group = group
    this.#end.promise.catch(() => undefined)
    const reading = this.#read(options)
    group.child.once('error', ({ message }) => this.#recordEnd(`could not be started (${message})`))
    group.child.once('exit', (code, signal) => {
      this.#alive = false
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
      // Answers from before its end may still be in the pipe.
      void valueWithin(lastAnswersMs, reading).then(() => this.#recordEnd(how))
    })
  }

  get isAlive(): boolean {
    return this.#alive
  }

  get isExhausted(): boolean {
    return this.#isExhausted
  }

  async request<Q extends Query>(query: Q, options: RequestOptions): Promise<Answers[Q['do']]> {
    options.signal?.throwIfAborted()
    if (this.#pending !== null) throw new TypeError('A tool process answers one query at a time')
    this.#lastId += 1
    const pending = new PendingQuery(this.#lastId)
    this.#pending = pending
    try {
      this.#write({ ...query, id: pending.id })
      const answer = await this.#answerTo(pending, options)
      const { memoryBytes, resources } = answer.left
      this.#isExhausted =
        memoryBytes > maxLeftBehind.memoryBytes || resources > maxLeftBehind.resources
      if (!answer.ok) throw new ToolFailed(answer.problem)
      // The service's own code around the tool answers each query with the answer of its kind.
      return answer.value as Answers[Q['do']]
    } catch (error) {
      const mayHaveRun =
        pending.isAccepted || !this.#hasReadAll || !(error instanceof ToolProcessEnded)
      throw mayHaveRun ? error : new QueryNotAccepted(error.message)
    } finally {
      this.#pending = null
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#group.terminate()
  }

  /** Rejects when the process ends before it answers, or had to be ended. */
  async #answerTo(pending: PendingQuery, options: RequestOptions): Promise<Answer> {
    const stop = stopSignal(options)
    try {
      const first = await Promise.race([pending.answer, this.#end.promise, stop.promise])
      const answer = first === 'stop' ? await this.#giveUp(pending.answer) : first
      if (answer !== null) return answer
      const why =
        options.signal?.aborted === true
          ? 'The call was cancelled'
          : `It ${pending.delayText()} in ${options.timeoutMs / 1000} s`
      throw new ToolProcessEnded(`${why}, and the tool's process was ended.`)
    } finally {
      stop.clear()
    }
  }

  /**
   * Asks the tool to stop; returns its answer when it does so in time, else `null`, and its process
   * group has ended.
   */
  async #giveUp(awaited: Promise<Answer>): Promise<Answer | null> {
    this.#write({ do: 'abort' })
    const end = this.#end.promise.catch(() => null)
    const answer = await valueWithin(cooperationMs, Promise.race([awaited, end]))
    if (answer === null) await this.#group.terminate()
    return answer
  }

  async #read({ maxAnswerBytes, onEnded }: AnswerOptions): Promise<void> {
    try {
      for await (const line of boundedLines(this.#group.answers, maxAnswerBytes)) {
        const message = readFromMessage(line)
        if ('ended' in message) onEnded?.(message.ended)
        else this.#pending?.take(message)
      }
      this.#hasReadAll = true
    } catch (error) {
      this.#recordEnd(`broke the protocol (${error instanceof Error ? error.message : 'unknown'})`)
      await this.#group.terminate()
    }
  }

  #recordEnd(how: string): void {
    this.#alive = false
    const output = this.#group.lastOutput().trim()
    const words = output === '' ? '' : ` Its last output: ${output.slice(-500)}`
    this.#end.reject(new ToolProcessEnded(`The tool's process ${how} before it answered.${words}`))
  }

  #write(message: (Query & { readonly id: number }) | { readonly do: 'abort' }): void {
    this.#group.queries.write(`${JSON.stringify(message)}\n`)
  }
}

type Answer = Extract<FromMessage, { id: number }>

/** The query that is being worked on, and what the process has said of it. */
class PendingQuery {
  readonly id: number
  readonly answer: Promise<Answer>
  /** its work may have begun */
  isAccepted = false
  readonly #resolve: (answer: Answer) => void
  #loading: string | null = null

  constructor(id: number) {
    this.id = id
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.answer = promise
    this.#resolve = resolve
  }

  take(message: Exclude<FromMessage, { ended: unknown }>): void {
    if ('loading' in message) this.#loading = message.loading
    else if ('accepted' in message) this.isAccepted ||= message.accepted === this.id
    else if (message.id === this.id) this.#resolve(message)
  }

  delayText(): string {
    return this.#loading === null ? 'did not answer' : `did not finish loading ${this.#loading}`
  }
}

function stopSignal({ timeoutMs, signal }: RequestOptions): {
  readonly promise: Promise<'stop'>
  clear(): void
} {
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
