const key = 'fragment-behind-sign-in'

/**
 * Stores the fragment (after `#`) of this page in the tab during a sign-in at a provider. It may
 * contain a code from Slack, which must not be sent to a server in an address.
 */
export function storeFragment({ pathname, search, hash }: Location): void {
  if (hash === '') sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify({ page: pathname + search, hash }))
}

/** Restores the fragment once, if the person has returned to the same page. */
export function restoreFragment({ pathname, search, hash }: Location): void {
  const storedFragment = sessionStorage.getItem(key)
  if (storedFragment === null || hash !== '') return
  const { page, hash: fragment } = JSON.parse(storedFragment) as { page: string; hash: string }
  if (page !== pathname + search) return
  sessionStorage.removeItem(key)
  history.replaceState(history.state, '', page + fragment)
}
