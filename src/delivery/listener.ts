import pg from 'pg'

const reconnectAfterMs = 500

/**
 * Receives Postgres' notifications on a separate connection, and reconnects when it is lost. Calls
 * `onNotification` also after every (re)connect, since notifications may have been missed.
 */
export class Listener implements AsyncDisposable {
  readonly #url: string
  readonly #channels: readonly string[]
  readonly #onNotification: (channel: string | null, payload: string) => void
  #client: pg.Client | null = null
  #isConnected = false
  #closed = false
  #retry: NodeJS.Timeout | null = null

  constructor(options: {
    readonly url: string
    readonly channels: readonly string[]
    readonly onNotification: (channel: string | null, payload: string) => void
  }) {
    this.#url = options.url
    this.#channels = options.channels
    this.#onNotification = options.onNotification
    void this.#connect()
  }

  /**
   * How long work may rest that notifications wake: a fall-back for what was missed, and the only
   * beat there is while the connection is lost.
   */
  restMs({ connected, lost }: { readonly connected: number; readonly lost: number }): number {
    return this.#isConnected ? connected : lost
  }

  /** Whether every notification of a commit from now on is received. */
  get isConnected(): boolean {
    return this.#isConnected
  }

  async #connect(): Promise<void> {
    if (this.#closed) return
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    })
    this.#client = client
    client.on('notification', ({ channel, payload = '' }) => this.#onNotification(channel, payload))
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      for (const channel of this.#channels) {
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      }
      this.#isConnected = this.#client === client
      this.#onNotification(null, '')
    } catch {
      this.#lost(client)
    }
  }

  #lost(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return
    this.#client = null
    this.#isConnected = false
    client.removeAllListeners()
    client.on('error', () => undefined)
    void client.end().catch(() => undefined)
    this.#retry = setTimeout(() => void this.#connect(), reconnectAfterMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    await this.#client?.end().catch(() => undefined)
  }
}
