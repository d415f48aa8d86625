import type { Response } from 'express'
import type { FeedEvent } from '#delivery/stream/event-feed.ts'
import type { EventFeed } from '../context/api.ts'
import { StreamWakeups, writeWhole } from './stream-wakeups.ts'

/** One reader's stream of events. */
export interface StreamOptions {
  readonly feed: EventFeed
  /** the reader's `Last-Event-ID`; null starts at the newest event */
  readonly after: bigint | null
  readonly heartbeatMs: number
  /** fires when the process stops */
  readonly stopping: AbortSignal | null
  /** fires when another stream of the same reader replaces it: the reader connects again later */
  readonly replaced: AbortSignal
  /** those events that the reader may see; null: their session ended, and the stream ends */
  readonly admit: (events: readonly FeedEvent[]) => Promise<readonly FeedEvent[] | null>
}

const batchSize = 200

/**
 * The time between two deliveries to a reader, in milliseconds. The first event after a quiet time
 * is sent at once; of many events one after the other, those of this time travel together.
 */
const betweenDeliveriesMs = 100

/**
 * Writes events to a response until the reader leaves: first all after `Last-Event-ID`, then each
 * as it is numbered. It always continues after the last number that it has read, so that no event
 * in between is missed. It waits for a slow reader. For a number that does not exist yet (a
 * database restored from a backup), it starts at the newest event.
 */
export async function streamEvents(response: Response, options: StreamOptions): Promise<void> {
  const { feed } = options
  const wakes = new StreamWakeups()
  // Listening begins before the first read: an event in between wakes the second read.
  const unsubscribe = feed.subscribe(() => wakes.wake())
  const heartbeat = setInterval(() => wakes.beat(), options.heartbeatMs)
  const close = (): void => wakes.close()
  response.on('close', close)
  options.stopping?.addEventListener('abort', close)
  if (options.stopping?.aborted === true) close()
  options.replaced.addEventListener('abort', close)
  try {
    const latest = await feed.latest()
    let last = options.after === null || options.after > latest ? latest : options.after
    open(response, last === options.after ? null : last, options.heartbeatMs)
    while (!wakes.isClosed) {
      const events = await feed.since(last, batchSize)
      const admitted = await options.admit(events)
      if (admitted === null) return
      if (admitted.length > 0) await writeWhole(response, wakes, admitted.map(frameOf).join(''))
      last = events.at(-1)?.sequence ?? last
      if (events.length === batchSize) continue
      if (events.length > 0) await wakes.pause(betweenDeliveriesMs)
      if ((await wakes.next()) === 'beat') await writeWhole(response, wakes, ': still here\n\n')
    }
    if (options.replaced.aborted && response.headersSent) response.write('retry: 30000\n\n')
  } finally {
    clearInterval(heartbeat)
    options.stopping?.removeEventListener('abort', close)
    unsubscribe()
    response.end()
  }
}

/**
 * `last`: the number after which a reconnecting reader continues; `null`: the reader names it
 * itself. The first comment says how often something is written at least, so that a reader can
 * distinguish a broken connection from a time without events.
 */
function open(response: Response, last: bigint | null, heartbeatMs: number): void {
  response.status(200)
  response.set({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies with buffers would delay events.
    'x-accel-buffering': 'no',
    // For readers that get no id without an event.
    ...(last === null ? {} : { 'last-event-id': String(last) }),
  })
  // An id without data is not an event, and is still remembered.
  const id = last === null ? '' : `id: ${last}\n`
  response.write(`: heartbeat=${heartbeatMs}\nretry: 2000\n${id}\n`)
}

const frames = new WeakMap<FeedEvent, string>()

/**
 * An event as it is sent; readers of the same batch share the text. Leaves out `to`, the colleague
 * to whom a request is handed over.
 */
function frameOf(event: FeedEvent): string {
  const earlier = frames.get(event)
  if (earlier !== undefined) return earlier
  const { to: _colleague, ...data } = event.subject
  const frame = `id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`
  frames.set(event, frame)
  return frame
}
