import type { StreamEventData, StreamEventName } from '#api/schemas/notifications/notifications.ts'
import { newListeners } from '#domain/listeners.ts'
import { isSessionEnd } from '../api/call-api.ts'
import { afterChange, silenceMs, type Connection, type StreamChange } from './connection.ts'
import { readEvents } from './read-events.ts'

const reconnectAfterMs = 2_000
const checkEveryMs = 1_000
const networkEvents = ['offline', 'online'] as const
/** How long the stream may take to open. */
const openWithinMs = 20_000

/** The event stream of the page. Events contain ids only, and listeners reload the data. */
export interface EventStream {
  connection(): Connection
  /** Calls `listener` when the connection changes. Returns the function that ends this. */
  subscribe(listener: () => void): () => void
  close(): void
}

/** One connection of the stream. */
interface Attempt {
  readonly startedMs: number
  isOpen: boolean
  /** aborts the connection, because no data arrives or the network changed */
  readonly silent: AbortController
  /** the next connection begins without a pause */
  isRenewed: boolean
}

function newAttempt(): Attempt {
  return {
    startedMs: Date.now(),
    isOpen: false,
    silent: new AbortController(),
    isRenewed: false,
  }
}

/**
 * Opens `/v1/events` after the event `from`; `null`: with the next event. If the stream ends,
 * becomes silent or fails, opens it again after its last event: two seconds later, or at once when
 * the device goes online or offline. Calls `gap` after each interruption, because events may have
 * been missed, and `signedOut` when the service refuses the session.
 */
export function openEventStream(
  from: string | null,
  on: {
    event: (name: StreamEventName, data: StreamEventData) => void
    gap: () => void
    signedOut: () => void
  },
): EventStream {
  const { subscribe, notify } = newListeners()
  let connection: Connection = { state: 'reconnecting', receivedMs: Date.now() }
  const stopping = new AbortController()
  let attempt = newAttempt()
  let allowedSilenceMs = openWithinMs
  let last = from
  let hasOpened = false
  let reconnectTimer: ReturnType<typeof setTimeout> | null = null

  const step = (change: StreamChange): void => {
    const next = afterChange(connection, change, Date.now())
    const isOther = next.state !== connection.state
    connection = next
    if (isOther) notify()
  }
  const connect = async (): Promise<void> => {
    const current = newAttempt()
    attempt = current
    reconnectTimer = null
    await readEvents(last, AbortSignal.any([stopping.signal, current.silent.signal]), {
      onOpen: () => {
        current.isOpen = true
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
    }).catch((error: unknown) => {
      if (isSessionEnd(error)) on.signedOut()
    })
    if (stopping.signal.aborted) return
    // The service may run on this device, where an attempt reaches it without a network.
    step({ type: 'lost', hasNetwork: current.isOpen || navigator.onLine })
    if (current.isRenewed) return connect()
    reconnectTimer = setTimeout(() => void connect(), reconnectAfterMs)
  }
  const onNetwork = (): void => {
    if (reconnectTimer === null) {
      attempt.isRenewed = true
      attempt.silent.abort()
    } else {
      clearTimeout(reconnectTimer)
      void connect()
    }
  }
  /** A dead connection can stay open for minutes without an error. */
  const checkSilence = (): void => {
    step({ type: 'tick', allowedSilenceMs })
    const silentMs = Date.now() - (attempt.isOpen ? connection.receivedMs : attempt.startedMs)
    if (silentMs > (attempt.isOpen ? allowedSilenceMs : openWithinMs)) attempt.silent.abort()
  }
  void connect()
  const clock = setInterval(checkSilence, checkEveryMs)
  for (const event of networkEvents) window.addEventListener(event, onNetwork)

  return {
    connection: () => connection,
    subscribe,
    close: () => {
      stopping.abort()
      clearInterval(clock)
      for (const event of networkEvents) window.removeEventListener(event, onNetwork)
      if (reconnectTimer !== null) clearTimeout(reconnectTimer)
    },
  }
}
