import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { StreamEventData, StreamEventName } from '#api/schemas/notifications/notifications.ts'
import { requestOf } from '#client/call.ts'
import { ask } from '../api/call-api.ts'

/** What a reading of the stream tells as it goes. */
export interface EventReader {
  readonly opened: () => void
  /** something arrived, be it a heartbeat */
  readonly received: () => void
  /** how often the service says at least something */
  readonly heartbeat: (ms: number) => void
  readonly event: (name: StreamEventName, data: StreamEventData) => void
  /** where the next reading goes on */
  readonly at: (id: string) => void
}

/**
 * Reads `/v1/events` until it ends, from after the event `last`. The browser's own `EventSource`
 * sends no headers, and this stream is given only to who proves the session. Rejects when it could
 * not be had or broke.
 */
export async function readEvents(
  last: string | null,
  signal: AbortSignal,
  on: EventReader,
): Promise<void> {
  const headers = last === null ? {} : { 'last-event-id': last }
  const response = await ask({ ...requestOf('streamEvents', { signal }), headers })
  if (response.body === null) return
  const from = response.headers.get('last-event-id')
  if (from !== null) on.at(from)
  on.opened()
  const onComment = (comment: string): void => {
    const heartbeatMs = /^\s*heartbeat=(\d+)$/.exec(comment)?.[1]
    if (heartbeatMs !== undefined) on.heartbeat(Number(heartbeatMs))
    on.received()
  }
  const events = response.body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream({ onComment }))
    .getReader()
  for (;;) {
    const { done, value } = await events.read()
    if (done) return
    on.received()
    if (value.id !== undefined) on.at(value.id)
    if (value.event === undefined) continue
    on.event(value.event as StreamEventName, JSON.parse(value.data) as StreamEventData)
  }
}
