import { Problem } from '#domain/problem.ts'

const windowMs = 1000
/** More sessions than people use at once; beyond it all are looked up anew. */
const maxKnown = 10_000

/** The unknown credentials of an address in this second. */
interface Share {
  count: number
  /** those whose look-up has no result yet: a page that sends many calls at once counts once */
  readonly open: Set<string>
}

/**
 * Decides which session cookies or keys the database is asked about, so that those that nobody has
 * cost no query beyond an address's share. Those that were live at their last look-up are always
 * admitted: nobody else at their address can use up their share.
 */
export class CredentialLookUps {
  readonly #maxUnknown: number
  readonly #what: string
  readonly #now: () => number
  readonly #known = new Set<string>()
  readonly #shares = new Map<string, Share>()
  #window = 0

  /**
   * `maxUnknown`: the unknown ones of an address in a second; `what`: their plural; `now`:
   * milliseconds of a clock.
   */
  constructor(maxUnknown: number, what: string, now: () => number) {
    this.#maxUnknown = maxUnknown
    this.#what = what
    this.#now = now
  }

  /** Throws `rate_limited` when the address sent too many that nobody has. */
  admit(address: string, credential: string): void {
    if (this.#known.has(credential)) return
    const share = this.#shareOf(address)
    if (share.open.has(credential)) return
    if (share.count >= this.#maxUnknown) {
      const detail = `More than ${this.#maxUnknown} unknown ${this.#what} a second from this address`
      throw new Problem('rate_limited', detail, { retryAfterSeconds: 1 })
    }
    share.count += 1
    share.open.add(credential)
  }

  /** Stores whether a look-up found a live session, with its proof or without, or a live key. */
  record(address: string, credential: string, isLive: boolean): void {
    this.#shareOf(address).open.delete(credential)
    if (!isLive) return void this.#known.delete(credential)
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.add(credential)
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
