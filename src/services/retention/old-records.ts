import { sql, type RawBuilder } from 'kysely'

/** Rows that are no evidence and are useless once over: which rows, and how to find the oldest. */
export interface OldRecords {
  readonly table: RawBuilder<unknown>
  /** the primary key */
  readonly key: RawBuilder<unknown>
  readonly over: RawBuilder<unknown>
  /** when it was over, or began; compared with the setting */
  readonly at: RawBuilder<unknown>
  /** by an index; a table with a row for each person has none */
  readonly order: RawBuilder<unknown>
  /** `order` differs from `at`: pages are read from the oldest until one is not old */
  readonly walked: boolean
}

const always = sql`true`

/** The kinds of rows that retention removes. */
export const oldRecords = {
  /** delivered signals of decisions (other rows are removed at once), or without a recipient */
  outbox: {
    table: sql`outbox`,
    key: sql`id`,
    over: sql`(delivered_at is not null or undeliverable_at is not null)`,
    at: sql`created_at`,
    order: sql`id`,
    walked: true,
  },
  /** of the live stream; the newest one has its position */
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
 * Removed without a setting: notifications that were delivered this long ago. Those that were given
 * up stay until somebody resends them, or `records` says otherwise.
 */
export const deliveredByDefault = {
  records: { ...oldRecords.deliveries, over: sql`state = 'delivered'` },
  olderThanMs: 30 * 24 * 60 * 60 * 1000,
} as const satisfies { readonly records: OldRecords; readonly olderThanMs: number }

/** The number of rows of each kind. */
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
