import pg from 'pg'

const reconnectAfterMs = 500
/** How often a query tests the connection: one that is cut off silently reports no error. */
const testEveryMs = 15_000
const answerWithinMs = 5000

/** Who is called for the notifications of some channels. */
export interface Subscriber {
  readonly channels: readonly string[]
  /** without a channel: some may have been missed */
  readonly onNotification: (channel: string | null, payload: string) => void
  /** Postgres sends the channels on the present connection; set by the connection */
  isListening: boolean
}

/** The connections of this process that have subscribers, by the address of the database. */
const connections = new Map<string, NotificationConnection>()

/**
 * The connection of this process for notifications of a database. All listeners share it: Postgres
 * runs a process for each connection.
 */
export function connectionTo(url: string): NotificationConnection {
  const connection = connections.get(url) ?? new NotificationConnection({ url, testEveryMs })
  connections.set(url, connection)
  return connection
}

/** Passes notifications to its subscribers. Connects again when the connection is lost. */
export class NotificationConnection {
  readonly #url: string
  readonly #testEveryMs: number
  readonly #subscribers = new Set<Subscriber>()
  #client: pg.Client | null = null
  #isConnected = false
  /** resolves when the last query of the present connection has ended */
  #lastAnswer: Promise<unknown> = Promise.resolve()
  #retry: NodeJS.Timeout | null = null
  #test: NodeJS.Timeout | null = null

  constructor(options: { readonly url: string; readonly testEveryMs: number }) {
    this.#url = options.url
    this.#testEveryMs = options.testEveryMs
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber)
    if (this.#client === null) {
      if (this.#retry === null) void this.#connect()
    } else if (this.#isConnected) {
      void this.#listen(this.#client, subscriber)
    }
  }

  /** Ends the connection with its last subscriber. */
  async remove(subscriber: Subscriber): Promise<void> {
    subscriber.isListening = false
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size > 0) return
    // The next subscriber gets a connection of its own.
    if (connections.get(this.#url) === this) connections.delete(this.#url)
    this.#stopTimers()
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    this.#retry = null
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'countersign notifications',
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
      keepAlive: true,
    })
    this.#client = client
    this.#isConnected = false
    this.#lastAnswer = Promise.resolve()
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { channels, onNotification } of this.#subscribers) {
        if (channels.includes(channel)) onNotification(channel, payload)
      }
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
    } catch {
      this.#lost(client)
      return
    }
    if (this.#client !== client) return
    this.#isConnected = true
    this.#test = setInterval(() => {
      this.#query(client, 'select').catch(() => this.#lost(client))
    }, this.#testEveryMs)
    for (const subscriber of this.#subscribers) void this.#listen(client, subscriber)
  }

  async #listen(client: pg.Client, subscriber: Subscriber): Promise<void> {
    try {
      for (const channel of subscriber.channels) {
        await this.#query(client, `listen ${pg.escapeIdentifier(channel)}`)
      }
    } catch {
      this.#lost(client)
      return
    }
    if (this.#client !== client || !this.#subscribers.has(subscriber)) return
    subscriber.isListening = true
    subscriber.onNotification(null, '')
  }

  /** Subscribers ask at the same time, and a client sends one query after another. */
  #query(client: pg.Client, text: string): Promise<unknown> {
    const answer = this.#lastAnswer.then(() => client.query(text))
    this.#lastAnswer = answer.catch(() => undefined)
    return answer
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    this.#isConnected = false
    this.#stopTimers()
    for (const subscriber of this.#subscribers) subscriber.isListening = false
    client.removeAllListeners()
    client.on('error', () => undefined)
    void client.end().catch(() => undefined)
    this.#retry = setTimeout(() => void this.#connect(), reconnectAfterMs)
  }

  #stopTimers(): void {
    if (this.#retry !== null) clearTimeout(this.#retry)
    if (this.#test !== null) clearInterval(this.#test)
    this.#retry = null
    this.#test = null
  }
}
