import type { StreamEvent } from '../delivery/stream/event-feed.ts'

/** Where the stream's route reads from; implemented by src/delivery. */
export interface EventFeed {
  /** At most `limit` numbered events after `sequence`, in order; after where the stream is now when it is `null`. */
  since(sequence: bigint | null, limit: number): Promise<readonly StreamEvent[]>
  /** The newest number given; 0 before the first. */
  latest(): Promise<bigint>
  /** Calls the listener after new events were numbered; it reads them with `since`. Returns how to stop. */
  subscribe(listener: () => void): () => void
}
