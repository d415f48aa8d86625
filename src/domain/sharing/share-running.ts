/**
 * `read` for many callers: those who call while it runs get the same result. A server that hangs is
 * then asked once, with one connection.
 */
export function shareRunning<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= read().finally(() => (running = null))
    return running
  }
}
