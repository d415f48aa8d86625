/** The state of the page's event stream. */
export interface Connection {
  readonly state: 'live' | 'reconnecting' | 'offline'
  /** when the last data arrived, by the page's clock; before any, when it connected */
  readonly receivedMs: number
}

/** After this long without data, decisions are switched off (dashboard.md, hard parts). */
export const offlineAfterMs = 30_000

/**
 * How long a stream may be silent and still count as live: two heartbeats of the service, but less
 * than the time after which the page is offline.
 */
export function silenceMs(heartbeatMs: number): number {
  return Math.min(2 * heartbeatMs, offlineAfterMs)
}

/**
 * A change of a stream. `lost`: it ended or did not open; `hasNetwork`: the browser has
 * a network. `tick`: time passed; `allowedSilenceMs` is the permitted silence.
 */
export type StreamChange =
  | { readonly type: 'received' }
  | { readonly type: 'lost'; readonly hasNetwork: boolean }
  | { readonly type: 'tick'; readonly allowedSilenceMs: number }

/** The state after a change of the stream at `nowMs`. Pure. */
export function afterChange(before: Connection, change: StreamChange, nowMs: number): Connection {
  if (change.type === 'received') return { state: 'live', receivedMs: nowMs }
  if (change.type === 'lost') {
    if (!change.hasNetwork) return { ...before, state: 'offline' }
    return before.state === 'live' ? { ...before, state: 'reconnecting' } : before
  }
  const silentMs = nowMs - before.receivedMs
  if (before.state === 'live') {
    return silentMs > change.allowedSilenceMs ? { ...before, state: 'reconnecting' } : before
  }
  const away = before.state === 'reconnecting' && silentMs >= offlineAfterMs
  return away ? { ...before, state: 'offline' } : before
}
