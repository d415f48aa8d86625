import { sql, type RawBuilder } from 'kysely'

/** Rows of one kind that are no evidence and of no use once they are over: which, and how the oldest are found. */
interface OldRecords {
  readonly table: RawBuilder<unknown>
  /** the primary key */
  readonly key: RawBuilder<unknown>
  readonly over: RawBuilder<unknown>
  /** when it was over, or began: compared with the setting */
  readonly at: RawBuilder<unknown>
  /** through an index; a table of people's size has none */
  readonly order: RawBuilder<unknown>
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
  },
  /** of the live stream; the newest says where it stands */
  events: {
    table: sql`event`,
    key: sql`id`,
    over: sql`sequence < (select max(sequence) from event)`,
    at: sql`created_at`,
    order: sql`sequence`,
  },
  /** delivered or given up */
  deliveries: {
    table: sql`delivery`,
    key: sql`id`,
    over: sql`state in ('delivered', 'dead')`,
    at: sql`created_at`,
    order: sql`created_at, id`,
  },
  /** answers to calls that nobody repeats any more */
  idempotencyKeys: {
    table: sql`idempotency`,
    key: sql`principal, key`,
    over: always,
    at: sql`created_at`,
    order: sql`created_at`,
  },
  sessions: {
    table: sql`session`,
    key: sql`token_hash`,
    over: always,
    at: sql`expires_at`,
    order: sql`expires_at`,
  },
  signInLinks: {
    table: sql`sign_in_link`,
    key: sql`token_hash`,
    over: always,
    at: sql`expires_at`,
    order: sql`expires_at`,
  },
} as const satisfies Readonly<Record<string, OldRecords>>

/** How many of each kind. */
export type RecordCounts = Record<keyof typeof oldRecords, number>

export const recordKinds = Object.keys(oldRecords) as readonly (keyof RecordCounts)[]

/** The condition on rows of a kind that were over longer ago than this. */
export function isDue({ over, at }: OldRecords, olderThanMs: number): RawBuilder<unknown> {
  return sql`${at} < clock_timestamp() - ${olderThanMs} * interval '1 millisecond' and ${over}`
}
