/** The fragment of a sign-in link, or of the page to which a sign-in provider returns. */
export interface SignInLink {
  readonly token: string
  /** the link was mailed: mail scanners may have opened it, so the page waits */
  readonly isMailed: boolean
  /** the dashboard page to open after a sign-in at the provider; null: it is a link */
  readonly returnTo: string | null
}

/** Reads the sign-in link in the address of the page; `null`: there is none. */
export function readSignInLink(): SignInLink | null {
  const behind = new URLSearchParams(window.location.hash.slice(1))
  const mailed = behind.get('mailed')
  const provider = behind.get('provider')
  const token = mailed ?? provider ?? behind.get('link')
  if (token === null) return null
  const returnTo = provider === null ? null : ownPage(behind.get('return') ?? '')
  return { token, isMailed: mailed !== null, returnTo }
}

/** A path if it is one of this dashboard, else that of the inbox. Pure. */
export function ownPage(path: string): string {
  // A browser removes tabs and line ends: `/`, a tab and `/host` is the address of another host.
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : '/'
}
