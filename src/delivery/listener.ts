import {
  connectionTo,
  type NotificationConnection,
  type Subscriber,
} from './notification-connection.ts'

/**
 * The pauses of work that notifications wake: a round without one finds what a lost connection had
 * missed.
 */
export const fallBackPausesMs = { connected: 60_000, lost: 1000 } as const

/**
 * Receives Postgres' notifications on the one connection that a process has for them. Calls
 * `onNotification` also after every (re)connect, since notifications may have been missed.
 */
export class Listener implements AsyncDisposable {
  readonly #connection: NotificationConnection
  readonly #subscriber: Subscriber

  constructor(options: {
    readonly url: string
    readonly channels: readonly string[]
    readonly onNotification: (channel: string | null, payload: string) => void
  }) {
    const { url, channels, onNotification } = options
    this.#subscriber = { channels, onNotification, isListening: false }
    this.#connection = connectionTo(url)
    this.#connection.add(this.#subscriber)
  }

  /**
   * The longest pause of work that notifications wake: a fall-back for missed ones, and the only
   * trigger while the connection is lost.
   */
  restMs({ connected, lost }: { readonly connected: number; readonly lost: number }): number {
    return this.isConnected ? connected : lost
  }

  /** Whether every notification of a commit from now on is received. */
  get isConnected(): boolean {
    return this.#subscriber.isListening
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.remove(this.#subscriber)
  }
}
