/** A one-time link. Its token is behind `#`: never sent on GET, in no log; the page posts it. */
export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#link=${token}`
}

/**
 * The same in a mail: its page waits for a click, since programs that look into mail open what they
 * find in it.
 */
export function mailedSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#mailed=${token}`
}
