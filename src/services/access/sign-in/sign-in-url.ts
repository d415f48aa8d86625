/**
 * The address of a one-time link. Its token is behind `#`, so that no GET sends it and no log has
 * it; the page posts it.
 */
export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#link=${token}`
}

/** The same for a mail: its page waits for a click, since mail scanners open links. */
export function mailedSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#mailed=${token}`
}
