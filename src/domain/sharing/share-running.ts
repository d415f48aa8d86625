/**
 * `read` for many callers: those who come while it runs get its result. A server that hangs is then
 * asked once, and keeps one connection, however many callers wait.
 */
export function shareRunning<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= read().finally(() => (running = null))
    return running
  }
}
