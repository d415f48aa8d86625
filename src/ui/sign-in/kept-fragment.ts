const key = 'fragment-behind-sign-in'

/**
 * Keeps what stands behind the `#` of this page in this tab, while somebody signs in elsewhere and
 * comes back to it: a code from Slack goes to no server in an address.
 */
export function keepFragment({ pathname, search, hash }: Location): void {
  if (hash === '') sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify({ page: pathname + search, hash }))
}

/** Puts it back where one has come back to that very page, once. */
export function restoreFragment({ pathname, search, hash }: Location): void {
  const stored = sessionStorage.getItem(key)
  if (stored === null || hash !== '') return
  const { page, hash: fragment } = JSON.parse(stored) as { page: string; hash: string }
  if (page !== pathname + search) return
  sessionStorage.removeItem(key)
  history.replaceState(history.state, '', page + fragment)
}
