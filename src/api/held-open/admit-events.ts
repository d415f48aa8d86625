import type { FeedEvent } from '#delivery/stream/event-feed.ts'
import { visibleEvents } from '#services/access/visible-events.ts'
import type { ServiceContext } from '#services/core/context.ts'

type Events = readonly FeedEvent[]

/** Readers of the same events, who are judged together. */
interface Readers {
  readonly personIds: Set<string>
  readonly visible: Promise<ReadonlyMap<string, Events>>
}

const readersOf = new WeakMap<Events, Readers>()

/**
 * The events of a batch that a person may see now. Streams that were woken together got the same
 * batch (`EventFeed.since`): their readers are judged by the same queries.
 */
export async function admitEvents(
  ctx: ServiceContext,
  personId: string,
  events: Events,
): Promise<Events> {
  if (events.length === 0) return events
  const readers = readersOf.get(events) ?? gatherReaders(ctx, events)
  readers.personIds.add(personId)
  return (await readers.visible).get(personId) ?? []
}

/** Judges all readers of one turn of the event loop together; later ones are the next group. */
function gatherReaders(ctx: ServiceContext, events: Events): Readers {
  const personIds = new Set<string>()
  const visible = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    readersOf.delete(events)
    return visibleEvents(ctx, [...personIds], events)
  })
  const readers = { personIds, visible }
  readersOf.set(events, readers)
  return readers
}
