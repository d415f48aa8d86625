import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import type { Log } from '#services/core/context.ts'
import { fallBackPausesMs, Listener } from '../listener.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
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

/** Numbers one batch and notifies readers; 0 when another process is working or nothing waits. */
async function sequenceEvents(db: Db): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const lock = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${advisoryLocks.eventSequencer}) as mine
    `.execute(tx)
    if (lock.rows[0]?.mine !== true) return 0
    const numbered = await sql`
      with waiting as (
        select id, row_number() over (order by created_at, id) as place
        from (select id, created_at from event where sequence is null
              order by created_at, id limit ${sql.lit(eventsAtOnce)}) batch
      )
      update event set sequence = (select coalesce(max(sequence), 0) from event) + waiting.place
      from waiting where event.id = waiting.id
    `.execute(tx)
    const count = Number(numbered.numAffectedRows ?? 0n)
    if (count > 0) await sql`select pg_notify('countersign_sequenced', '')`.execute(tx)
    return count
  })
}
