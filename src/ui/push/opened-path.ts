/** The message of the service worker to a page after a click on a notification. */
export interface OpenMessage {
  readonly open: string
}

/** The dashboard path of a notification; `null` for any other message. Pure. */
export function openedPath(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('open' in message)) return null
  const { open } = message
  return typeof open === 'string' && /^\/requests\/[0-9a-f-]{36}$/.test(open) ? open : null
}
