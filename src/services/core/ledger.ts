/**
 * What can happen once only: a permit is spent, a sign-in link is used, a call's attempt begins, a
 * use of a grant is taken.
 */
export type OnceKind = 'permit' | 'call' | 'grant' | 'link'

/**
 * `id` is a UUIDv7, whose time says where it is looked for; `part` tells apart what one id has
 * several of.
 */
export interface OnceKey {
  readonly kind: OnceKind
  readonly id: string
  readonly part?: string
}

/**
 * What happened once, kept outside the database (security.md 29): whoever resets rows, and Temporal
 * with them, makes nothing happen twice, because this remembers. Append-only, on the disk before it
 * answers, shared by the processes that share a data folder.
 */
export interface Ledger {
  /**
   * Stores the entry under the key, unless there is one; answers the entry that was stored first.
   * Rejects when it cannot be stored.
   */
  first(key: OnceKey, entry: string): Promise<string>
}

/** The activation of the policy that was in force when this data folder last looked. */
export interface KnownPolicy {
  readonly sequence: number
  /** of its signed statement */
  readonly hash: string
}

/**
 * How far the installation has come, as this data folder saw it: nothing older is believed of the
 * database.
 */
export interface Memory {
  policy(): KnownPolicy | null
  /** Remembers a newer one, on the disk before it resolves. */
  rememberPolicy(policy: KnownPolicy): Promise<void>
  /** the newest epoch that somebody began on this host with `doctor --repair`; 0: nobody did */
  epoch(): number
}
