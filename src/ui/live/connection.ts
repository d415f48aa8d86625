/** What the page knows of its event stream. */
export interface Connection {
  readonly state: 'live' | 'reconnecting' | 'offline'
  /**
   * when something last arrived, by the page's own clock; before that, when the page first
   * connected
   */
  readonly receivedMs: number
}

/**
 * How long the service may be silent before deciding is switched off (dashboard.md, hard parts).
 */
export const offlineAfterMs = 30_000

/**
 * How long a stream may be silent and still be live: two heartbeats of the service, which says how
 * often it beats. Never so long that the page would be offline before it says that it reconnects.
 */
export function silenceMs(heartbeatMs: number): number {
  return Math.min(2 * heartbeatMs, offlineAfterMs)
}

/**
 * What happens to a stream. `tick`: time passed; `allowedSilenceMs` is how long it may say nothing.
 */
export type StreamHappening =
  | { readonly type: 'received' }
  | { readonly type: 'lost' }
  | { readonly type: 'tick'; readonly allowedSilenceMs: number }

/** The state after something happened to the stream at `nowMs`. Pure. */
export function afterHappening(
  before: Connection,
  happening: StreamHappening,
  nowMs: number,
): Connection {
  if (happening.type === 'received') return { state: 'live', receivedMs: nowMs }
  if (happening.type === 'lost') {
    return before.state === 'live' ? { ...before, state: 'reconnecting' } : before
  }
  const silentMs = nowMs - before.receivedMs
  if (before.state === 'live') {
    return silentMs > happening.allowedSilenceMs ? { ...before, state: 'reconnecting' } : before
  }
  const away = before.state === 'reconnecting' && silentMs >= offlineAfterMs
  return away ? { ...before, state: 'offline' } : before
}
