import { parseObject } from '#domain/json/parse-json.ts'
import { memberOf } from '#domain/json/value-in.ts'
import { ownPage } from './sign-in-link.ts'

const key = 'countersign.page-after-link'
/** The time for which a mailed link works. */
const lifetimeMs = 15 * 60_000

/**
 * Keeps the address of the page on which a person requests a mailed link. The link opens in another
 * tab of this browser and leads back there. The mail itself does not have the address.
 */
export function keepPageAfterLink({ pathname, search }: Location): void {
  const path = pathname === '/sign-in' ? '/' : pathname + search
  try {
    localStorage.setItem(key, JSON.stringify({ path, until: Date.now() + lifetimeMs }))
  } catch {
    // Without storage, the link leads to the inbox.
  }
}

/** Removes the kept address and returns it; the inbox if there is none. */
export function takePageAfterLink(): string {
  try {
    const entry = parseObject(localStorage.getItem(key) ?? '')
    localStorage.removeItem(key)
    const [path, until] = [memberOf(entry, 'path'), memberOf(entry, 'until')]
    if (typeof path !== 'string' || typeof until !== 'number') return '/'
    return until > Date.now() ? ownPage(path) : '/'
  } catch {
    return '/'
  }
}
