import { sql } from 'kysely'
import type { ServiceContext } from '../services/context.ts'
import { ForeignNamespaceError } from '../services/installation/remember-namespace.ts'
import type { Delivering } from './deliver-rows.ts'
import { reconcileRuns } from './reconcile-runs.ts'
import { Repeating } from './repeating.ts'

/** Advisory lock: one process compares at a time. */
const reconcilerLock = 7_301_002
const roundEveryMs = 15_000

/** Compares Postgres with Temporal at the start of every API process and every fifteen seconds. */
export class Reconciler implements AsyncDisposable {
  readonly #rounds: Repeating

  constructor(options: {
    readonly ctx: ServiceContext
    readonly delivering: Delivering
    readonly foreignNamespace: (error: ForeignNamespaceError) => void
  }) {
    const { ctx, delivering } = options
    this.#rounds = new Repeating({
      everyMs: roundEveryMs,
      work: () =>
        ctx.db.connection().execute(async (db) => {
          const lock = await sql<{ mine: boolean }>`
            select pg_try_advisory_lock(${reconcilerLock}) as mine
          `.execute(db)
          if (lock.rows[0]?.mine !== true) return
          try {
            await reconcileRuns(ctx, delivering, ctx.log)
          } finally {
            await sql`select pg_advisory_unlock(${reconcilerLock})`.execute(db)
          }
        }),
      failed: (error) => {
        if (error instanceof ForeignNamespaceError) options.foreignNamespace(error)
        ctx.log.warn({ error: String(error) }, 'runs could not be compared with Temporal')
      },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rounds[Symbol.asyncDispose]()
  }
}
