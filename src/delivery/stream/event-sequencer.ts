import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import type { Log } from '#services/core/context.ts'
import { fallBackPausesMs, Listener } from '../listener.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { lastStatement } from '#store/connection/last-statement.ts'
import { sideBySide, together } from '#store/connection/side-by-side.ts'
import { RepeatedWork, warnWith } from '../repeated-work.ts'

const eventsAtOnce = 500
/** Events within this time are numbered together. */
const gatherMs = 50

/**
 * Numbers committed events of the live stream. One writer at a time assigns the numbers, after the
 * commit, so that a reader who has seen number n has seen all lower ones, and replay skips nothing.
 */
export class EventSequencer implements AsyncDisposable {
  readonly #listener: Listener
  readonly #rounds: RepeatedWork

  constructor(options: {
    readonly db: Db
    readonly databaseUrl: string
    readonly log: Log
    /** how long it rests without a notification; a minute */
    readonly restMs?: number
  }) {
    const { lost, connected } = fallBackPausesMs
    const rest = { lost, connected: options.restMs ?? connected }
    this.#rounds = new RepeatedWork({
      everyMs: () => this.#listener.restMs(rest),
      gatherMs,
      work: async () => {
        while ((await sequenceEvents(options.db)) === eventsAtOnce);
      },
      onError: warnWith(
        options.log,
        'stream events could not be numbered; the next round repeats it',
      ),
    })
    this.#listener = new Listener({
      url: options.databaseUrl,
      channels: ['countersign_event'],
      onNotification: () => this.#rounds.wake(),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
    await this.#rounds[Symbol.asyncDispose]()
  }
}

/**
 * Numbers one batch and notifies readers, in one round trip; 0 when another process is working or
 * nothing waits. The lock is taken by a statement of its own, so that the numbering sees what the
 * previous holder of the lock committed.
 */
async function sequenceEvents(db: Db): Promise<number> {
  return db.transaction().execute(async (alone) => {
    const tx = await sideBySide(alone)
    const [, { rows }] = await together([
      sql`
        select set_config('countersign.numbers_events',
          pg_try_advisory_xact_lock(${advisoryLocks.eventSequencer})::text, true)
      `.execute(tx),
      sql<{ count: number }>`
        ${lastStatement(1)} with waiting as (
          select id, row_number() over (order by created_at, id) as place
          from (select id, created_at from event
                where sequence is null and current_setting('countersign.numbers_events') = 'true'
                order by created_at, id limit ${sql.lit(eventsAtOnce)}) batch
        ), numbered as (
          update event set sequence = (select coalesce(max(sequence), 0) from event) + waiting.place
          from waiting where event.id = waiting.id
          returning event.id
        )
        select count(*)::integer as count,
          case when count(*) > 0 then pg_notify('countersign_sequenced', '') end from numbered
      `.execute(tx),
    ])
    return rows[0]?.count ?? 0
  })
}
