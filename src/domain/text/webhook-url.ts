/** What is wrong with an address that is to be called from here, and what would be right. */
export interface UrlProblem {
  readonly problem: string
  readonly remedy: string
}

/**
 * Reads an address that is to be called: `https://…`, or `http://` to this machine, which only the
 * development profile then calls; without credentials or a fragment. Where it leads is looked at
 * when it is called (security.md 23).
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
