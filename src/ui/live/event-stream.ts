import type { StreamEventData, StreamEventName } from '#api/schemas/notifications/notifications.ts'
import { afterHappening, silenceMs, type Connection, type StreamHappening } from './connection.ts'
import { readEvents } from './read-events.ts'

const reconnectAfterMs = 2_000
const lookEveryMs = 1_000
const networkEvents = ['offline', 'online'] as const
/** How long the stream may take to open. */
const openWithinMs = 20_000

/** The event stream of the page. Events contain ids only, and listeners reload the data. */
export interface EventStream {
  connection(): Connection
  /**
   * Calls `listener` when the state of the connection changes. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: () => void): () => void
  close(): void
}

/** One connection of the stream. */
interface StreamReading {
  readonly begunMs: number
  isOpen: boolean
  /** aborts the connection, because no data arrives or the network changed */
  readonly silent: AbortController
  /** the next connection begins without a pause */
  isRenewed: boolean
}

function newReading(): StreamReading {
  return {
    begunMs: Date.now(),
    isOpen: false,
    silent: new AbortController(),
    isRenewed: false,
  }
}

/**
 * Opens `/v1/events`, and opens it again after the last event, two seconds after it ended, became
 * silent or failed, or at once when the network of the device comes or goes. Calls `gap` after each
 * interruption, because events may have been missed.
 */
export function openEventStream(on: {
  event: (name: StreamEventName, data: StreamEventData) => void
  gap: () => void
}): EventStream {
  const listeners = new Set<() => void>()
  let connection: Connection = { state: 'reconnecting', receivedMs: Date.now() }
  const stopping = new AbortController()
  let reading = newReading()
  let allowedSilenceMs = openWithinMs
  let last: string | null = null
  let hasOpened = false
  let again: ReturnType<typeof setTimeout> | null = null

  const step = (event: StreamHappening): void => {
    const next = afterHappening(connection, event, Date.now())
    const changed = next.state !== connection.state
    connection = next
    if (changed) for (const listener of listeners) listener()
  }
  const connect = async (): Promise<void> => {
    const now = newReading()
    reading = now
    again = null
    await readEvents(last, AbortSignal.any([stopping.signal, now.silent.signal]), {
      onOpen: () => {
        now.isOpen = true
        if (hasOpened) on.gap()
        hasOpened = true
        step({ type: 'received' })
      },
      onData: () => step({ type: 'received' }),
      heartbeat: (ms) => {
        allowedSilenceMs = silenceMs(ms)
      },
      event: on.event,
      at: (id) => {
        last = id
      },
    }).catch(() => undefined)
    if (stopping.signal.aborted) return
    // The service may run on this device, where an attempt reaches it without a network.
    step({ type: 'lost', hasNetwork: now.isOpen || navigator.onLine })
    if (now.isRenewed) return connect()
    again = setTimeout(() => void connect(), reconnectAfterMs)
  }
  const onNetwork = (): void => {
    if (again === null) {
      reading.isRenewed = true
      reading.silent.abort()
    } else {
      clearTimeout(again)
      void connect()
    }
  }
  /** A dead connection can stay open for minutes without an error. */
  const look = (): void => {
    step({ type: 'tick', allowedSilenceMs })
    const isSilent = reading.isOpen
      ? Date.now() - connection.receivedMs > allowedSilenceMs
      : Date.now() - reading.begunMs > openWithinMs
    if (isSilent) reading.silent.abort()
  }
  void connect()
  const clock = setInterval(look, lookEveryMs)
  for (const event of networkEvents) window.addEventListener(event, onNetwork)

  return {
    connection: () => connection,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => {
      stopping.abort()
      clearInterval(clock)
      for (const event of networkEvents) window.removeEventListener(event, onNetwork)
      if (again !== null) clearTimeout(again)
    },
  }
}
