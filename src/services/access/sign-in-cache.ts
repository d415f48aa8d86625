import type { Revocation } from '#domain/statements/row-seals.ts'
import type { ServiceContext } from '../core/context.ts'

/** How long a look-up counts at most: also for whoever changes rows past the triggers. */
const maxAgeMs = 2000
const maxEntries = 10_000

/** What a look-up of a session or key found, and what ends it. */
export interface SignIn<T> {
  readonly found: T
  readonly personId: string
  /** of everything it rests on: when one of them was ended for good, it is worth nothing */
  readonly restsOn: readonly Revocation[]
  /** for how long it holds by itself; `null`: for ever */
  readonly livesMs: number | null
}

interface Entry extends SignIn<unknown> {
  readonly until: number
}

/**
 * Look-ups of sessions and API keys, which the database invalidates: a trigger notifies of every
 * change of a session, a key or a person but when they were last used. A look-up counts for two
 * seconds at most, and none counts while notifications are not received. What was ended for good
 * is looked for in the ledger at each use. It serves reads, and verbs that look for the session
 * again in their own transaction.
 */
export class SignInCache {
  readonly #entries = new Map<string, Entry>()
  readonly #isListening: () => boolean
  readonly #now: () => number
  /** grows with each notification: what was read before one and comes after it is not stored */
  #generation = 0

  constructor(options: {
    /** whether notifications are received now */
    readonly isListening: () => boolean
    /** milliseconds of a clock that never goes back */
    readonly now: () => number
  }) {
    this.#isListening = options.isListening
    this.#now = options.now
  }

  /** Forgets what was found for a person; `null`: everything, since notifications were missed. */
  forget(personId: string | null): void {
    this.#generation += 1
    if (personId === null) this.#entries.clear()
    for (const [key, entry] of this.#entries) {
      if (entry.personId === personId) this.#entries.delete(key)
    }
  }

  /**
   * What `load` found for a key within the last seconds, or what it finds now. `isEnough`: whether
   * what was found before is what the caller needs.
   */
  async read<T>(
    ctx: Pick<ServiceContext, 'seals'>,
    key: string,
    load: () => Promise<SignIn<T> | null>,
    isEnough: (found: T) => boolean,
  ): Promise<T | null> {
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#isLive(ctx, entry)) {
      // A key names its kind of look-up, and each kind stores one type.
      const found = entry.found as T
      if (isEnough(found)) return found
    }
    const [began, generation, wasListening] = [this.#now(), this.#generation, this.#isListening()]
    const loaded = await load()
    this.#entries.delete(key)
    if (loaded === null) return null
    if (wasListening && this.#isListening() && generation === this.#generation) {
      if (this.#entries.size >= maxEntries) this.#entries.clear()
      const until = began + Math.min(maxAgeMs, loaded.livesMs ?? maxAgeMs)
      this.#entries.set(key, { ...loaded, until })
    }
    return loaded.found
  }

  #isLive({ seals }: Pick<ServiceContext, 'seals'>, { until, restsOn }: Entry): boolean {
    if (!this.#isListening() || this.#now() >= until) return false
    return !restsOn.some((revoked) => seals.revocations.has(revoked))
  }
}
