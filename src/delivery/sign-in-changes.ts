import { SignInCache, signInChannel } from '#services/access/sign-in-cache.ts'
import { Listener } from './listener.ts'

/** The cached look-ups of a process, as long as it is notified of every change. */
export class SignInChanges implements AsyncDisposable {
  readonly cache: SignInCache
  readonly #listener: Listener

  constructor(options: {
    readonly databaseUrl: string
    /** milliseconds of a monotonic clock */
    readonly now: () => number
  }) {
    const { databaseUrl: url, now } = options
    const cache = new SignInCache({ isListening: () => this.isListening, now })
    this.cache = cache
    this.#listener = new Listener({
      url,
      channels: [signInChannel],
      // Without a channel, notifications were missed.
      onNotification: (from, personId) =>
        cache.forget(from === null || personId === '' ? null : personId),
    })
  }

  get isListening(): boolean {
    return this.#listener.isConnected
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
  }
}
