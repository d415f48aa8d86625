import { Problem } from '#domain/problem.ts'

const windowMs = 1000
/** More sessions than people use at once; beyond it all are looked up anew. */
const maxKnown = 10_000

type CredentialKind = 'session cookies' | 'keys' | 'tokens'

/** The unknown credentials of an address in this second. */
interface Share {
  count: number
  /** cookies whose look-up has no result yet: a page that sends many calls at once counts once */
  readonly open: Set<string>
  /** keys that failed: a program that repeats an old key uses no more of the share */
  readonly failed: Set<string>
}

/**
 * Decides for which session cookies or keys the database is queried, so that invalid ones cost no
 * query beyond an address's share. Those that were live at their last look-up are always admitted,
 * so that nobody else at their address can use up their share.
 */
export class CredentialLookUps {
  readonly #maxUnknown: number
  readonly #kind: CredentialKind
  readonly #now: () => number
  readonly #known = new Set<string>()
  readonly #shares = new Map<string, Share>()
  #window = 0

  /**
   * `maxUnknown`: the unknown ones of an address in a second; of keys, the calls with them. `now`:
   * milliseconds of a clock.
   */
  constructor(maxUnknown: number, kind: CredentialKind, now: () => number) {
    this.#maxUnknown = maxUnknown
    this.#kind = kind
    this.#now = now
  }

  /**
   * Throws `rate_limited` when the address sent too many that nobody has, or this key failed in
   * this second.
   */
  admit(address: string, credential: string): void {
    if (this.#known.has(credential)) return
    const share = this.#shareOf(address)
    if (share.open.has(credential)) return
    if (share.failed.has(credential))
      throw refusal(`Too many failed ${this.#kind} from this address`)
    if (share.count >= this.#maxUnknown) {
      throw refusal(
        `More than ${this.#maxUnknown} unknown ${this.#kind} a second from this address`,
      )
    }
    share.count += 1
    if (this.#kind === 'session cookies') share.open.add(credential)
  }

  /** Whether it was live at its last look-up. */
  isKnown(credential: string): boolean {
    return this.#known.has(credential)
  }

  /** Stores whether a look-up found a live session, with its proof or without, or a live key. */
  record(address: string, credential: string, isLive: boolean): void {
    const share = this.#shareOf(address)
    share.open.delete(credential)
    if (!isLive) {
      if (this.#kind !== 'session cookies') share.failed.add(credential)
      return void this.#known.delete(credential)
    }
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.add(credential)
  }

  #shareOf(address: string): Share {
    const window = Math.floor(this.#now() / windowMs)
    if (window !== this.#window) this.#shares.clear()
    this.#window = window
    const share: Share = this.#shares.get(address) ?? {
      count: 0,
      open: new Set(),
      failed: new Set(),
    }
    this.#shares.set(address, share)
    return share
  }
}

function refusal(detail: string): Problem {
  return new Problem('rate_limited', detail, { retryAfterSeconds: 1 })
}
