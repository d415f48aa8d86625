import { newListeners } from '#domain/listeners.ts'
import { auditChannel } from '#store/audit/audit.ts'
import { Listener } from '../listener.ts'

/** Notifies of new events in the trail, from any process: one connection for all listeners. */
export class TrailNotifications implements AsyncDisposable {
  readonly #listener: Listener
  readonly #events = newListeners()

  constructor(options: { readonly databaseUrl: string }) {
    this.#listener = new Listener({
      url: options.databaseUrl,
      channels: [auditChannel],
      onNotification: () => this.#events.notify(),
    })
  }

  /** Calls `listener` at each commit with events, and when some may have been missed. */
  onEvents(listener: () => void): void {
    this.#events.subscribe(listener)
  }

  /** How long the work that notifications wake may wait without one, in ms. */
  restMs(rest: { readonly connected: number; readonly lost: number }): number {
    return this.#listener.restMs(rest)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#listener[Symbol.asyncDispose]()
  }
}
