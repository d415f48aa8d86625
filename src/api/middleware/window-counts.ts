import type { ClientRateLimitInfo, Store } from 'express-rate-limit'

interface Count {
  hits: number
  /** by the monotonic clock */
  readonly endsAt: number
}

/**
 * Counts in windows of a fixed length that begin with a key's first hit. They end by the monotonic
 * clock. The library's own store ends them by the clock of the host: if that clock is set back,
 * callers would be refused until it has caught up.
 */
export class WindowCounts implements Store {
  readonly localKeys = true
  readonly #counts = new Map<string, Count>()
  readonly #windowMs: number
  readonly #sweep: NodeJS.Timeout

  constructor(windowMs: number) {
    this.#windowMs = windowMs
    this.#sweep = setInterval(() => this.#dropEnded(), windowMs).unref()
  }

  get(key: string): ClientRateLimitInfo | undefined {
    const count = this.#live(key)
    return count === undefined ? undefined : infoOf(count)
  }

  increment(key: string): ClientRateLimitInfo {
    const count = this.#live(key) ?? { hits: 0, endsAt: performance.now() + this.#windowMs }
    count.hits += 1
    this.#counts.set(key, count)
    return infoOf(count)
  }

  decrement(key: string): void {
    const count = this.#live(key)
    if (count !== undefined && count.hits > 0) count.hits -= 1
  }

  resetKey(key: string): void {
    this.#counts.delete(key)
  }

  shutdown(): void {
    clearInterval(this.#sweep)
    this.#counts.clear()
  }

  #live(key: string): Count | undefined {
    const count = this.#counts.get(key)
    return count === undefined || count.endsAt <= performance.now() ? undefined : count
  }

  #dropEnded(): void {
    const now = performance.now()
    for (const [key, { endsAt }] of this.#counts) if (endsAt <= now) this.#counts.delete(key)
  }
}

function infoOf({ hits, endsAt }: Count): ClientRateLimitInfo {
  return { totalHits: hits, resetTime: new Date(Date.now() + endsAt - performance.now()) }
}
