/**
 * Acts that can happen only once: a permit is consumed, a sign-in link is used, a passkey's answer
 * signs in, an attempt of a call begins, one use of a grant is taken, a scheduled time starts its
 * run.
 */
export type OnceKind = 'permit' | 'call' | 'grant' | 'link' | 'challenge' | 'schedule'

/** `id` is a UUIDv7, whose time names the file; `part` distinguishes keys of one id. */
export interface OnceKey {
  readonly kind: OnceKind
  readonly id: string
  readonly part?: string
}

/**
 * Records outside the database what happened (security.md 29), so that nothing happens twice if
 * somebody resets rows, also together with Temporal. It is append-only, on the disk before it
 * answers, and shared by the processes that share a data folder.
 */
export interface Ledger {
  /**
   * Stores the entry under the key, unless there is one, and returns the entry that was stored
   * first. The entry is a UUID. Rejects when it cannot be stored.
   */
  first(key: OnceKey, entry: string): Promise<string>
}

/**
 * Records the use of what can be used once, such as a permit or a sign-in link. False if another
 * use was recorded before, even if its row was reset since (security.md 29). `useId` stays the same
 * when a transaction is tried again after a conflict.
 */
export async function isFirstUse(ledger: Ledger, key: OnceKey, useId: string): Promise<boolean> {
  return (await ledger.first(key, useId)) === useId
}

/** The activation of the policy that was in force when this data folder last looked. */
export interface KnownPolicy {
  readonly sequence: number
  /** hash of its signed statement */
  readonly hash: string
}

/** The newest policy and epoch that this data folder saw; older ones are refused. */
export interface Memory {
  policy(): KnownPolicy | null
  /** Remembers a newer policy; it is on the disk before this resolves. */
  rememberPolicy(policy: KnownPolicy): Promise<void>
  /** the newest epoch that `doctor --repair` began on this host; 0: none */
  epoch(): number
}
