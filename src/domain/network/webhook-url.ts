/** The problem of an address that the service should call, and the remedy. */
export interface UrlProblem {
  readonly problem: string
  readonly remedy: string
}

/** For an address that {@link parseSecureUrl} refuses. */
export const notSecure: UrlProblem = {
  problem: 'is not an https:// address',
  remedy: 'write https://…; http:// only for localhost',
}

/** An address with `https:`, or with `http:` and this machine as its host; `null` for others. */
export function parseSecureUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  const isLocal = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal) ? url : null
}

/**
 * Checks an address that the service should call: `https://…`, or `http://` to this machine, which
 * only the development profile calls; without credentials or a fragment. Its network is checked at
 * each call (security.md 23).
 */
export function readWebhookUrl(text: string): { readonly url: string } | UrlProblem {
  const url = parseSecureUrl(text)
  if (url === null) return notSecure
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return {
      problem: 'has a user name, a password or a fragment',
      remedy: 'leave them out: deliveries are signed',
    }
  }
  return { url: url.href }
}
