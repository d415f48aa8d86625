import { Problem } from '#domain/problem.ts'

const windowMs = 1000
/** More sessions than people use at once; beyond it all are looked up anew. */
const maxKnown = 10_000

/** The unknown cookies of an address in this second. */
interface Share {
  count: number
  /** those whose look-up has no result yet: a page that sends many calls at once counts once */
  readonly open: Set<string>
}

/**
 * Decides which session cookies the database is asked about, so that cookies that nobody has cost
 * no query beyond an address's share. Cookies of sessions that were live at their last look-up are
 * always admitted: nobody else at their address can use up their share.
 */
export class CookieLookUps {
  readonly #maxUnknown: number
  readonly #now: () => number
  readonly #known = new Set<string>()
  readonly #shares = new Map<string, Share>()
  #window = 0

  /**
   * `maxUnknown`: the unknown cookies of an address in a second; `now`: milliseconds of a clock.
   */
  constructor(maxUnknown: number, now: () => number) {
    this.#maxUnknown = maxUnknown
    this.#now = now
  }

  /** Throws `rate_limited` when the address sent too many cookies that nobody has. */
  admit(address: string, cookie: string): void {
    if (this.#known.has(cookie)) return
    const share = this.#shareOf(address)
    if (share.open.has(cookie)) return
    if (share.count >= this.#maxUnknown) {
      const detail = `More than ${this.#maxUnknown} unknown session cookies a second from this address`
      throw new Problem('rate_limited', detail, { retryAfterSeconds: 1 })
    }
    share.count += 1
    share.open.add(cookie)
  }

  /** Stores whether a look-up found a live session, with its proof or without. */
  record(address: string, cookie: string, isLive: boolean): void {
    this.#shareOf(address).open.delete(cookie)
    if (!isLive) return void this.#known.delete(cookie)
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.add(cookie)
  }

  #shareOf(address: string): Share {
    const window = Math.floor(this.#now() / windowMs)
    if (window !== this.#window) this.#shares.clear()
    this.#window = window
    const share = this.#shares.get(address) ?? { count: 0, open: new Set<string>() }
    this.#shares.set(address, share)
    return share
  }
}
