import type { StreamEventData, StreamEventName } from '../../api/schemas/notifications/events.ts'
import { afterStreamEvent, type Connection } from './connection.ts'

const eventNames: readonly StreamEventName[] = [
  'request.opened',
  'request.changed',
  'request.decided',
  'request.closed',
  'run.changed',
]

/** The one event stream of the page. Ids only arrive; whoever listens fetches again. */
export interface EventStream {
  connection(): Connection
  /** Called when the connection's state changes. Returns how to stop. */
  subscribe(listener: () => void): () => void
  close(): void
}

/**
 * Opens `/v1/events`. The browser resumes a broken stream by `Last-Event-ID`; where it gives up
 * (an error status), this tries again every three seconds. After each gap `onGap` is called, since
 * what happened meanwhile is not known here.
 */
export function openEventStream(on: {
  event: (name: StreamEventName, data: StreamEventData) => void
  gap: () => void
}): EventStream {
  const listeners = new Set<() => void>()
  let connection: Connection = { state: 'reconnecting', sinceMs: Date.now() }
  let source: EventSource | null = null
  let opened = false

  const step = (event: 'opened' | 'lost' | 'tick'): void => {
    const next = afterStreamEvent(connection, event, Date.now())
    if (next === connection) return
    const changed = next.state !== connection.state
    connection = next
    if (changed) for (const listener of listeners) listener()
  }
  const connect = (): void => {
    source = new EventSource('/v1/events')
    source.addEventListener('open', () => {
      if (opened) on.gap()
      opened = true
      step('opened')
    })
    source.addEventListener('error', () => step('lost'))
    for (const name of eventNames) {
      source.addEventListener(name, (message: MessageEvent<string>) => {
        on.event(name, JSON.parse(message.data) as StreamEventData)
      })
    }
  }
  connect()
  const clock = setInterval(() => {
    step('tick')
    if (source?.readyState === EventSource.CLOSED && connection.state !== 'live') connect()
  }, 3_000)

  return {
    connection: () => connection,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => {
      clearInterval(clock)
      source?.close()
    },
  }
}
