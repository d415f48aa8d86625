import type { EventFeed } from '../context/api.ts'

const batchSize = 500
/** Waiters look again after this long, in case the feed has missed something. */
const lookAgainMs = 20_000

/**
 * The callers of this process that wait for a request or a run. The feed is read once for all of
 * them, and only while one waits. An event wakes those that wait for its request and its run.
 */
export class SubjectWaiters {
  readonly #feed: EventFeed
  readonly #waiting = new Map<string, Set<() => void>>()
  #unsubscribe: (() => void) | null = null
  /** the last sequence number that was read; `null`: it is being read */
  #last: bigint | null = null
  #reading = false
  #again = false

  constructor(feed: EventFeed) {
    this.#feed = feed
  }

  /**
   * Calls `look` whenever an event names the request or run of this id, and now and then. Returns a
   * function that stops it.
   */
  watch(id: string, look: () => void): () => void {
    const looks = this.#waiting.get(id) ?? new Set()
    looks.add(look)
    this.#waiting.set(id, looks)
    this.#unsubscribe ??= this.#feed.subscribe(() => void this.#read())
    const timer = setInterval(look, lookAgainMs)
    if (this.#last === null) void this.#read()
    return () => {
      clearInterval(timer)
      looks.delete(look)
      if (looks.size === 0) this.#waiting.delete(id)
      if (this.#waiting.size > 0) return
      this.#unsubscribe?.()
      this.#unsubscribe = null
      this.#last = null
    }
  }

  /** One reader at a time; another caller makes it read once more. */
  async #read(): Promise<void> {
    this.#again = true
    if (this.#reading) return
    this.#reading = true
    try {
      while (this.#again && this.#waiting.size > 0) {
        this.#again = false
        await this.#readOn()
      }
    } catch {
      // The database is unreachable: the next event, or each waiter's timer, makes them look.
    } finally {
      this.#reading = false
    }
  }

  async #readOn(): Promise<void> {
    if (this.#last === null) {
      this.#last = await this.#feed.latest()
      // An event that was numbered before may be the awaited one.
      for (const looks of this.#waiting.values()) for (const look of looks) look()
      return
    }
    for (;;) {
      const events = await this.#feed.since(this.#last, batchSize)
      for (const { subject } of events) {
        for (const id of [subject['requestId'], subject['runId']]) {
          if (typeof id !== 'string') continue
          for (const look of this.#waiting.get(id) ?? []) look()
        }
      }
      this.#last = events.at(-1)?.sequence ?? this.#last
      if (events.length < batchSize) return
    }
  }
}

const ofFeeds = new WeakMap<EventFeed, SubjectWaiters>()

/** The waiters of a process: one for its feed. */
export function waitersOf(feed: EventFeed): SubjectWaiters {
  let waiters = ofFeeds.get(feed)
  if (waiters === undefined) {
    waiters = new SubjectWaiters(feed)
    ofFeeds.set(feed, waiters)
  }
  return waiters
}
