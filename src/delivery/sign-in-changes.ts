import { SignInCache } from '#services/access/sign-in-cache.ts'
import { Listener } from './listener.ts'

/** What the triggers of `session`, `api_key` and `person` notify, with the id of the person. */
const channel = 'countersign_sign_in'

/** The look-ups that a process remembers, for as long as it is told of every change of them. */
export class SignInChanges implements AsyncDisposable {
  readonly cache: SignInCache
  readonly #listener: Listener

  constructor(options: {
    readonly databaseUrl: string
    /** milliseconds of a clock that never goes back */
    readonly now: () => number
  }) {
    const { databaseUrl: url, now } = options
    const cache = new SignInCache({ isListening: () => this.isListening, now })
    this.cache = cache
    this.#listener = new Listener({
      url,
      channels: [channel],
      // Without a person, all rows of a table went; without a channel, notifications were missed.
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
