import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Response } from 'express'

/** Writes to a response, and waits until a slow reader has taken it, or the stream is closed. */
export async function writeWhole(
  response: Response,
  wakes: StreamWakeups,
  text: string,
): Promise<void> {
  if (wakes.isClosed || response.write(text)) return
  await Promise.race([once(response, 'drain'), wakes.closed])
}

/** Wakes a waiting stream. A wake without a waiter is remembered. */
export class StreamWakeups {
  isClosed = false
  readonly #closing = Promise.withResolvers<void>()
  readonly closed = this.#closing.promise
  #pending: 'event' | 'beat' | null = null
  #waiter: ((why: 'event' | 'beat') => void) | null = null

  wake(): void {
    this.#notify('event')
  }

  beat(): void {
    this.#notify('beat')
  }

  close(): void {
    this.isClosed = true
    this.#closing.resolve()
    this.#notify('event')
  }

  /** Waits that long, or until the stream is closed. */
  async pause(ms: number): Promise<void> {
    await Promise.race([delay(ms, undefined, { ref: false }), this.closed])
  }

  next(): Promise<'event' | 'beat'> {
    const pending = this.#pending
    this.#pending = null
    if (this.isClosed || pending !== null) return Promise.resolve(pending ?? 'event')
    return new Promise((resolve) => {
      this.#waiter = resolve
    })
  }

  #notify(why: 'event' | 'beat'): void {
    const waiter = this.#waiter
    this.#waiter = null
    if (waiter !== null) waiter(why)
    else if (this.#pending !== 'event') this.#pending = why
  }
}
