import { EventFeed } from '#delivery/stream/event-feed.ts'
import { EventSequencer } from '#delivery/stream/event-sequencer.ts'
import type { TestDatabase } from './postgres.ts'
import { silentLog } from './silent-log.ts'

/**
 * The live stream of a database, with the process that numbers its events. Dispose of it before the
 * database.
 */
export function openFeed({ db, url: databaseUrl }: TestDatabase): AsyncDisposable & {
  readonly feed: EventFeed
} {
  const feed = new EventFeed({ db, databaseUrl })
  const sequencer = new EventSequencer({ db, databaseUrl, log: silentLog })
  return {
    feed,
    async [Symbol.asyncDispose]() {
      await sequencer[Symbol.asyncDispose]()
      await feed[Symbol.asyncDispose]()
    },
  }
}
