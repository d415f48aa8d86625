/** What the service worker tells a page when somebody clicks a notification. */
export interface OpenMessage {
  readonly open: string
}

/** The page of ours that a notification leads to; `null` for anything else. Pure. */
export function openedPath(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('open' in message)) return null
  const { open } = message
  return typeof open === 'string' && /^\/requests\/[0-9a-f-]{36}$/.test(open) ? open : null
}
