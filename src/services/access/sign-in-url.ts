/** A one-time link. Its token is behind `#`: never sent on GET, in no log; the page posts it. */
export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#link=${token}`
}
