import type { StreamEventData, StreamEventName } from '#api/schemas/notifications/notifications.ts'
import { afterHappening, silenceMs, type Connection, type StreamHappening } from './connection.ts'
import { readEvents } from './read-events.ts'

const reconnectAfterMs = 2_000
const lookEveryMs = 1_000
/** How long a stream may take to open. */
const openWithinMs = 20_000

/** The one event stream of the page. Ids only arrive; whoever listens fetches again. */
export interface EventStream {
  connection(): Connection
  /** Called when the connection's state changes. Returns how to stop. */
  subscribe(listener: () => void): () => void
  close(): void
}

/** One reading of the stream. */
interface StreamReading {
  readonly begunMs: number
  isOpen: boolean
  /** ends it, since nothing arrives */
  readonly silent: AbortController
}

/**
 * Opens `/v1/events`, and again, from the last event on, two seconds after it ended, fell silent or
 * could not be had. After each gap `gap` is called, since what happened meanwhile is not known
 * here.
 */
export function openEventStream(on: {
  event: (name: StreamEventName, data: StreamEventData) => void
  gap: () => void
}): EventStream {
  const listeners = new Set<() => void>()
  let connection: Connection = { state: 'reconnecting', receivedMs: Date.now() }
  const stopping = new AbortController()
  let reading: StreamReading = { begunMs: Date.now(), isOpen: false, silent: new AbortController() }
  let allowedSilenceMs = openWithinMs
  let last: string | null = null
  let opened = false
  let again: ReturnType<typeof setTimeout> | null = null

  const step = (happening: StreamHappening): void => {
    const next = afterHappening(connection, happening, Date.now())
    const changed = next.state !== connection.state
    connection = next
    if (changed) for (const listener of listeners) listener()
  }
  const connect = async (): Promise<void> => {
    const now: StreamReading = { begunMs: Date.now(), isOpen: false, silent: new AbortController() }
    reading = now
    await readEvents(last, AbortSignal.any([stopping.signal, now.silent.signal]), {
      opened: () => {
        now.isOpen = true
        if (opened) on.gap()
        opened = true
        step({ type: 'received' })
      },
      received: () => step({ type: 'received' }),
      heartbeat: (ms) => {
        allowedSilenceMs = silenceMs(ms)
      },
      event: on.event,
      at: (id) => {
        last = id
      },
    }).catch(() => undefined)
    if (stopping.signal.aborted) return
    step({ type: 'lost' })
    again = setTimeout(() => void connect(), reconnectAfterMs)
  }
  /** A connection that nothing arrives on does not end by itself for minutes. */
  const look = (): void => {
    step({ type: 'tick', allowedSilenceMs })
    const isSilent = reading.isOpen
      ? Date.now() - connection.receivedMs > allowedSilenceMs
      : Date.now() - reading.begunMs > openWithinMs
    if (isSilent) reading.silent.abort()
  }
  void connect()
  const clock = setInterval(look, lookEveryMs)

  return {
    connection: () => connection,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => {
      stopping.abort()
      clearInterval(clock)
      if (again !== null) clearTimeout(again)
    },
  }
}
