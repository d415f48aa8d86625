/**
 * What stands behind the `#` of a sign-in link, or of the page to which a sign-in provider sends
 * one back.
 */
export interface SignInLink {
  readonly token: string
  /** programs that look into mail have opened it too, so its page waits for a person */
  readonly mailed: boolean
  /** one comes from the provider, and goes on to this page of ours; null: it is a link */
  readonly returnTo: string | null
}

/** The link in the page's address, if it is one. */
export function readSignInLink(): SignInLink | null {
  const behind = new URLSearchParams(window.location.hash.slice(1))
  const mailed = behind.get('mailed')
  const provider = behind.get('provider')
  const token = mailed ?? provider ?? behind.get('link')
  if (token === null) return null
  const path = behind.get('return') ?? ''
  const isOurs = /^\/(?![/\\])/.test(path)
  const returnTo = provider === null ? null : isOurs ? path : '/'
  return { token, mailed: mailed !== null, returnTo }
}
