import type { Revocation } from '#domain/statements/row-seals.ts'
import type { ServiceContext } from '../core/context.ts'

/**
 * The channel of the triggers of `session`, `api_key` and `person`, and of changed memberships,
 * with the id of the person; without one, all look-ups are void.
 */
export const signInChannel = 'countersign_sign_in'

/** How long a look-up counts at most, also when somebody changes rows without the triggers. */
const maxAgeMs = 2000
/**
 * The same for a verb that looks for the session in its own transaction. A person reads a request
 * for longer than two seconds before they decide it.
 */
const judgedAgainMaxAgeMs = 30_000
const maxEntries = 10_000

/** The result of a look-up of a session or key, and what ends it. */
export interface SignIn<T> {
  readonly found: T
  readonly personId: string
  /** everything that it depends on: once one of these is revoked, the look-up is void */
  readonly restsOn: readonly Revocation[]
  /** for how long it is valid by itself; `null`: without limit */
  readonly livesMs: number | null
}

interface Entry extends SignIn<unknown> {
  readonly began: number
}

/** Whether the caller's verb looks for the session again in the transaction that it writes in. */
export type Use = 'judged by the look-up' | 'judged again'

/**
 * Look-ups of sessions and API keys, which the database invalidates: it notifies of every change of
 * a session, a key or a person except the time of last use, of every activation, and when groups of
 * somebody are read again. A look-up counts for two seconds at most, or for thirty in verbs that
 * read the session again in their own transaction; none counts while notifications are not
 * received. At each use the ledger is asked for what was revoked. Verbs that write without reading
 * the session again do not use it.
 */
export class SignInCache {
  readonly #entries = new Map<string, Entry>()
  /** the look-ups that run now: a hundred streams of one session wake together */
  readonly #running = new Map<string, Promise<unknown>>()
  readonly #isListening: () => boolean
  readonly #now: () => number
  /** grows with each notification: a look-up that began before one is not stored after it */
  #generation = 0

  constructor(options: {
    /** whether notifications are received now */
    readonly isListening: () => boolean
    /** milliseconds of a monotonic clock */
    readonly now: () => number
  }) {
    this.#isListening = options.isListening
    this.#now = options.now
  }

  /** Forgets the look-ups of a person; `null`: all, since notifications were missed. */
  forget(personId: string | null): void {
    this.#generation += 1
    if (personId === null) this.#entries.clear()
    for (const [key, entry] of this.#entries) {
      if (entry.personId === personId) this.#entries.delete(key)
    }
  }

  /**
   * The stored look-up of the last seconds, or the result of `load`. `isEnough`: whether a stored
   * look-up is what the caller needs.
   */
  async read<T>(
    ctx: Pick<ServiceContext, 'seals'>,
    key: string,
    load: () => Promise<SignIn<T> | null>,
    isEnough: (value: T) => boolean,
    use: Use,
  ): Promise<T | null> {
    const lookUp = (): T | null => {
      const entry = this.#entries.get(key)
      if (entry === undefined || !this.#isLive(ctx, entry, use)) return null
      // Each key belongs to one kind of look-up, and each kind stores one type.
      const value = entry.found as T
      return isEnough(value) ? value : null
    }
    const own = lookUp()
    if (own !== null) return own
    const running = this.#running.get(key)
    if (running !== undefined) {
      await running
      // If something changed since that look-up began, its result was not stored.
      const other = lookUp()
      if (other !== null) return other
    }
    const loading = this.#loadAndStore(key, load)
    const end = loading.catch(() => undefined)
    this.#running.set(key, end)
    try {
      return await loading
    } finally {
      if (this.#running.get(key) === end) this.#running.delete(key)
    }
  }

  async #loadAndStore<T>(key: string, load: () => Promise<SignIn<T> | null>): Promise<T | null> {
    const [began, generation, wasListening] = [this.#now(), this.#generation, this.#isListening()]
    const loaded = await load()
    this.#entries.delete(key)
    if (loaded === null) return null
    if (wasListening && this.#isListening() && generation === this.#generation) {
      if (this.#entries.size >= maxEntries) this.#entries.clear()
      this.#entries.set(key, { ...loaded, began })
    }
    return loaded.found
  }

  #isLive(
    { seals }: Pick<ServiceContext, 'seals'>,
    { began, livesMs, restsOn }: Entry,
    use: Use,
  ): boolean {
    const longest = use === 'judged again' ? judgedAgainMaxAgeMs : maxAgeMs
    const isOver = this.#now() >= began + Math.min(longest, livesMs ?? longest)
    if (!this.#isListening() || isOver) return false
    return !restsOn.some((revoked) => seals.revocations.has(revoked))
  }
}
