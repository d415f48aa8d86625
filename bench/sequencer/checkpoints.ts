import { sql } from 'kysely'
import { RepeatedWork } from '#delivery/repeated-work.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import type { Db } from '#store/database.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { monotonicMs } from '../figures.ts'

/** The time at which each event was committed, by its place, in milliseconds. */
export type Commits = Map<string, number>

const lookEveryMs = 5

/** Polls for new checkpoints without a pause, as somebody who waits for an event does. */
export class Checkpoints implements AsyncDisposable {
  readonly #db: Db
  readonly #looks: RepeatedWork
  readonly #seen: { readonly size: number; readonly at: number }[] = []

  constructor(db: Db) {
    this.#db = db
    const rethrow = (error: unknown): never => {
      throw error
    }
    this.#looks = new RepeatedWork({
      everyMs: lookEveryMs,
      work: () => this.#look(),
      onError: rethrow,
    })
  }

  /** Waits until a checkpoint covers so many events. */
  async cover(events: number): Promise<void> {
    await waitUntil(
      () => (this.#seen.at(-1)?.size ?? 0) >= events || `${this.#seen.at(-1)?.size} of ${events}`,
      { withinMs: 120_000 },
    )
  }

  /** The time from each commit until a checkpoint that covers it was read, in milliseconds. */
  async delays(commits: Commits): Promise<Map<string, number>> {
    const { rows } = await sql<{ index: number; place: string }>`
      select index::float8 as index, document::jsonb -> 'detail' ->> 'place' as place
      from audit_leaf join audit_event on audit_event.id = event_id order by index
    `.execute(this.#db)
    const delays = new Map<string, number>()
    let first = 0
    for (const { index, place } of rows) {
      while ((this.#seen[first]?.size ?? Number.POSITIVE_INFINITY) <= index) first += 1
      const committedAt = commits.get(place)
      const seenAt = this.#seen[first]?.at
      if (committedAt === undefined || seenAt === undefined) continue
      delays.set(place, Math.max(0, seenAt - committedAt))
    }
    if (delays.size !== commits.size) throw new Error('an event has no leaf, or has two')
    return delays
  }

  async #look(): Promise<void> {
    const size = (await readNewestCheckpoint(this.#db))?.size ?? 0
    if (size > (this.#seen.at(-1)?.size ?? 0)) this.#seen.push({ size, at: monotonicMs() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looks[Symbol.asyncDispose]()
  }
}
