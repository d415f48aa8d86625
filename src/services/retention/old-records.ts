import { sql, type RawBuilder } from 'kysely'

/**
 * Rows of one kind that are no evidence and of no use once they are over: which, and how the oldest
 * are found.
 */
export interface OldRecords {
  readonly table: RawBuilder<unknown>
  /** the primary key */
  readonly key: RawBuilder<unknown>
  readonly over: RawBuilder<unknown>
  /** when it was over, or began: compared with the setting */
  readonly at: RawBuilder<unknown>
  /** through an index; a table of people's size has none */
  readonly order: RawBuilder<unknown>
  /**
   * they come in this order and not in that of `at`: looked through page by page, as far as they
   * are old
   */
  readonly walked: boolean
}

const always = sql`true`

export const oldRecords = {
  /** delivered, or nobody was left to be told */
  outbox: {
    table: sql`outbox`,
    key: sql`id`,
    over: sql`(delivered_at is not null or undeliverable_at is not null)`,
    at: sql`created_at`,
    order: sql`id`,
    walked: true,
  },
  /** of the live stream; the newest says where it stands */
  events: {
    table: sql`event`,
    key: sql`id`,
    over: sql`sequence < (select max(sequence) from event)`,
    at: sql`created_at`,
    order: sql`sequence`,
    walked: true,
  },
  /** delivered or given up */
  deliveries: {
    table: sql`delivery`,
    key: sql`id`,
    over: sql`state in ('delivered', 'dead')`,
    at: sql`created_at`,
    order: sql`created_at, id`,
    walked: false,
  },
  /** answers to calls that nobody repeats any more */
  idempotencyKeys: {
    table: sql`idempotency`,
    key: sql`principal, key`,
    over: always,
    at: sql`created_at`,
    order: sql`created_at`,
    walked: false,
  },
  sessions: {
    table: sql`session`,
    key: sql`token_hash`,
    over: always,
    at: sql`expires_at`,
    order: sql`expires_at`,
    walked: false,
  },
  signInLinks: {
    table: sql`sign_in_link`,
    key: sql`token_hash`,
    over: always,
    at: sql`expires_at`,
    order: sql`expires_at`,
    walked: false,
  },
} as const satisfies Readonly<Record<string, OldRecords>>

/**
 * What goes without a setting: notifications that were delivered so long ago. What was given up
 * stays until somebody sends it again, or `records` says otherwise.
 */
export const deliveredByDefault = {
  records: { ...oldRecords.deliveries, over: sql`state = 'delivered'` },
  olderThanMs: 30 * 24 * 60 * 60 * 1000,
} as const satisfies { readonly records: OldRecords; readonly olderThanMs: number }

/** How many of each kind. */
export type RecordCounts = Record<keyof typeof oldRecords, number>

export const recordKinds = Object.keys(oldRecords) as readonly (keyof RecordCounts)[]

/** The condition on rows of a kind that were over longer ago than this. */
export function isDue({ over, at }: OldRecords, olderThanMs: number): RawBuilder<unknown> {
  return sql`${isOld(at, olderThanMs)} and ${over}`
}

/** SQL: whether a time is more than `olderThanMs` ago by the database's clock. */
export function isOld(at: RawBuilder<unknown>, olderThanMs: number): RawBuilder<unknown> {
  return sql`${at} < clock_timestamp() - ${olderThanMs} * interval '1 millisecond'`
}
