/** The problem of an address that the service should call, and the remedy. */
export interface UrlProblem {
  readonly problem: string
  readonly remedy: string
}

/**
 * Checks an address that the service should call: `https://…`, or `http://` to this machine, which
 * only the development profile calls; without credentials or a fragment. Its network is checked at
 * each call (security.md 23).
 */
export function readWebhookUrl(text: string): { readonly url: string } | UrlProblem {
  const url = URL.canParse(text) ? new URL(text) : null
  const local = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && local))) {
    return {
      problem: 'is not an https:// address',
      remedy: 'write https://…; http:// only for localhost',
    }
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return {
      problem: 'has a user name, a password or a fragment',
      remedy: 'leave them out: deliveries are signed',
    }
  }
  return { url: url.href }
}
