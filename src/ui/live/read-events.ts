import type { StreamEventData, StreamEventName } from '#api/schemas/notifications/notifications.ts'
import { requestOf } from '#client/call.ts'
import { ask } from '../api/call-api.ts'
import { openStream } from './read-stream.ts'

/** Callbacks of one connection of the stream. */
export interface EventReader {
  readonly onOpen: () => void
  /** data arrived, possibly only a heartbeat */
  readonly onData: () => void
  /** the interval of the heartbeats */
  readonly heartbeat: (ms: number) => void
  readonly event: (name: StreamEventName, data: StreamEventData) => void
  /** the id after which the next connection continues */
  readonly at: (id: string) => void
}

/**
 * Reads `/v1/events` after the event `last`, or from now on (`null`), until it ends. The browser's
 * `EventSource` cannot send the header that proves the session. Rejects if the stream cannot be
 * opened or breaks.
 */
export async function readEvents(
  last: string | null,
  signal: AbortSignal,
  on: EventReader,
): Promise<void> {
  const headers = last === null ? {} : { 'last-event-id': last }
  const { response, events } = await openStream(
    () => ask({ ...requestOf('streamEvents', { signal }), headers }),
    signal,
  )
  if (response.body === null) return
  const from = response.headers.get('last-event-id')
  if (from !== null) on.at(from)
  on.onOpen()
  const onComment = (comment: string): void => {
    const heartbeatMs = /^\s*heartbeat=(\d+)$/.exec(comment)?.[1]
    if (heartbeatMs !== undefined) on.heartbeat(Number(heartbeatMs))
    on.onData()
  }
  for await (const value of events(response.body, onComment)) {
    on.onData()
    if (value.id !== undefined) on.at(value.id)
    if (value.event === undefined) continue
    on.event(value.event as StreamEventName, JSON.parse(value.data) as StreamEventData)
  }
}
