import type { JsonObject } from '#domain/json/json.ts'
import type { Db } from '#store/database.ts'
import type { StreamEventType } from '#domain/channels/stream-event.ts'
import { liveTextChannel } from '#store/content/live-text.ts'
import { Listener } from '../listener.ts'

/** An event of the live stream: ids only. `sequence` has no gaps that matter. */
export interface FeedEvent {
  readonly sequence: bigint
  readonly type: StreamEventType
  readonly subject: JsonObject
}

/** Reads the numbered events and notifies subscribers when there are more. */
export class EventFeed implements AsyncDisposable {
  readonly #db: Db
  readonly #listeners = new Set<() => void>()
  /** readers of a run's live text, by the run's id */
  readonly #readers = new Map<string, Set<() => void>>()
  readonly #listener: Listener
  /** current reads, by their arguments and the count of notifications when they began */
  readonly #reads = new Map<string, Promise<FeedEvent[]>>()
  #news = 0

  constructor(options: { readonly db: Db; readonly databaseUrl: string }) {
    this.#db = options.db
    this.#listener = new Listener({
      url: options.databaseUrl,
      channels: ['countersign_sequenced', liveTextChannel],
      onNotification: (channel, payload) => {
        if (channel !== 'countersign_sequenced') this.#textGrew(channel, payload)
        if (channel === liveTextChannel) return
        this.#news += 1
        for (const listener of this.#listeners) listener()
      },
    })
  }

  /**
   * Events after `sequence`, oldest first; `null` starts at the newest event (see `latest`), so
   * there are none before the next.
   */
  async since(sequence: bigint | null, limit: number): Promise<FeedEvent[]> {
    const after = sequence ?? (await this.latest())
    // Hundreds of readers get the same notification at the same position: they share one read. A
    // read that began before the notification may lack the new event.
    const key = `${this.#news} ${after} ${limit}`
    const same = this.#reads.get(key)
    if (same !== undefined) return same
    const reading = this.#read(after, limit).finally(() => this.#reads.delete(key))
    this.#reads.set(key, reading)
    return reading
  }

  async #read(after: bigint, limit: number): Promise<FeedEvent[]> {
    const rows = await this.#db
      .selectFrom('event')
      .select(['sequence', 'type', 'subject'])
      .where('sequence', '>', after.toString())
      .orderBy('sequence')
      .limit(limit)
      .execute()
    return rows.map((row) => ({
      sequence: BigInt(row.sequence ?? 0),
      type: row.type as StreamEventType,
      subject: row.subject,
    }))
  }

  /** The newest sequence number; 0 before the first event. */
  async latest(): Promise<bigint> {
    const row = await this.#db
      .selectFrom('event')
      .select((builder) => builder.fn.max('sequence').as('sequence'))
      .executeTakeFirst()
    return BigInt(row?.sequence ?? 0)
  }

  /** Calls `listener` whenever there may be more to read. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Calls `listener` whenever a model has written more of a run's turn. Returns a function that
   * unsubscribes.
   */
  subscribeText(runId: string, listener: () => void): () => void {
    const readers = this.#readers.get(runId) ?? new Set()
    readers.add(listener)
    this.#readers.set(runId, readers)
    return () => {
      readers.delete(listener)
      if (readers.size === 0) this.#readers.delete(runId)
    }
  }

  /** After a connection was lost (no channel), the text of any run may have grown. */
  #textGrew(channel: string | null, runId: string): void {
    const readers = channel === null ? this.#readers.values() : [this.#readers.get(runId) ?? []]
    for (const listeners of readers) for (const listener of listeners) listener()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear()
    this.#readers.clear()
    await this.#listener[Symbol.asyncDispose]()
  }
}
