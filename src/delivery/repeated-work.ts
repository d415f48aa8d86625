import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '#services/core/context.ts'
import { errorText } from '#services/core/problems/error-text.ts'

/**
 * Repeated work: at once when `wake` is called, at least every `everyMs`, never concurrently. An
 * error is reported, and the next round comes as usual.
 */
export class RepeatedWork implements AsyncDisposable {
  readonly #work: (closing: AbortSignal) => Promise<void>
  readonly #everyMs: number | (() => number)
  readonly #gatherMs: number
  readonly #gatherAtMostMs: number
  readonly #onError: (error: unknown) => void
  readonly #reportEveryMs: number
  #reportedAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | null = null
  #again = false
  #closed = false
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | null = null
  /** when the next round begins, by `performance.now()`, while none is running */
  #dueAt = Number.POSITIVE_INFINITY
  /** a round was requested by then while one was running */
  #wantedAt = Number.POSITIVE_INFINITY
  /** A round belongs to no HTTP request, even when one wakes it. */
  readonly #outside = AsyncLocalStorage.snapshot()

  constructor(options: {
    /** a function is called after each round */
    readonly everyMs: number | (() => number)
    /** how long a wake waits for others, to combine them; default: not at all */
    readonly gatherMs?: number
    /** how long it gathers at most while more wakes come; default: `gatherMs` */
    readonly gatherAtMostMs?: number
    /** `closing` aborts when no further round begins */
    readonly work: (closing: AbortSignal) => Promise<void>
    readonly onError: (error: unknown) => void
    /** drops errors that come sooner after a reported one; default: reports every error */
    readonly reportEveryMs?: number
  }) {
    this.#work = options.work
    this.#everyMs = options.everyMs
    this.#gatherMs = options.gatherMs ?? 0
    this.#gatherAtMostMs = options.gatherAtMostMs ?? this.#gatherMs
    this.#onError = options.onError
    this.#reportEveryMs = options.reportEveryMs ?? 0
    this.wake()
  }

  wake(): void {
    if (this.#closed) return
    this.#again = true
    this.#running ??= this.#outside(() => this.#run())
  }

  /** A round within this time; an earlier one serves as well. */
  wakeWithin(ms: number): void {
    if (this.#closed) return
    const at = performance.now() + ms
    this.#wantedAt = Math.min(this.#wantedAt, at)
    if (this.#running === null && at < this.#dueAt) this.#rest(ms)
  }

  #rest(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#dueAt = performance.now() + ms
    this.#timer = setTimeout(() => this.wake(), ms)
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    while (this.#again && !this.#closed) {
      if (this.#gatherMs > 0) await this.#gather()
      this.#again = false
      this.#wantedAt = Number.POSITIVE_INFINITY
      try {
        await this.#work(this.#closing.signal)
      } catch (error) {
        this.#report(error)
      }
    }
    this.#running = null
    if (this.#closed) return
    const everyMs = typeof this.#everyMs === 'number' ? this.#everyMs : this.#everyMs()
    this.#rest(Math.max(0, Math.min(everyMs, this.#wantedAt - performance.now())))
  }

  #report(error: unknown): void {
    if (performance.now() - this.#reportedAt < this.#reportEveryMs) return
    this.#reportedAt = performance.now()
    this.#onError(error)
  }

  /** Closing does not wait for more wakes. */
  async #gather(): Promise<void> {
    const { signal } = this.#closing
    const lastBeginsBy = performance.now() + this.#gatherAtMostMs - this.#gatherMs
    do {
      this.#again = false
      await delay(this.#gatherMs, undefined, { signal }).catch(() => undefined)
    } while (this.#again && !this.#closed && performance.now() < lastBeginsBy)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#closing.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }
}

/** An `onError` that logs a sentence, which says when the work is done after all. */
export function warnWith(log: Pick<Log, 'warn'>, sentence: string): (error: unknown) => void {
  return (error) => log.warn({ error: errorText(error) }, sentence)
}
