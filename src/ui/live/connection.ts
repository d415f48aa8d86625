/** What the page knows of its event stream. `sinceMs`: when this state began, on the page's own clock. */
export interface Connection {
  readonly state: 'live' | 'reconnecting' | 'offline'
  readonly sinceMs: number
}

/** How long the stream may be away before deciding is switched off (dashboard.md, hard parts). */
export const offlineAfterMs = 30_000

/** The state after something happened to the stream at `nowMs`. Pure. */
export function afterStreamEvent(
  before: Connection,
  event: 'opened' | 'lost' | 'tick',
  nowMs: number,
): Connection {
  if (event === 'opened') return { state: 'live', sinceMs: nowMs }
  if (event === 'lost') {
    return before.state === 'live' ? { state: 'reconnecting', sinceMs: nowMs } : before
  }
  const away = before.state === 'reconnecting' && nowMs - before.sinceMs >= offlineAfterMs
  return away ? { ...before, state: 'offline' } : before
}
