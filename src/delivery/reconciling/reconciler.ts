import { endDueRests } from '#services/engine/lifecycle/end-due-rests.ts'
import { recordRepeats } from '#services/refusals/record-refusal.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import { ForeignNamespaceError } from '#services/installation/remember-namespace.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { underSessionLock } from '#store/session-lock.ts'
import type { Db } from '#store/database.ts'
import type { DeliveryContext } from '../outbox/deliver-rows.ts'
import { reconcileApprovals } from './reconcile-approvals.ts'
import { reconcileRuns } from './reconcile-runs.ts'
import { RepeatedWork } from '../repeated-work.ts'
import { WokenWorkflows } from './workflows.ts'
import type { SystemContext } from '#services/core/context.ts'
import { sql } from 'kysely'

const roundEveryMs = 15_000
/** While nothing is open: a Temporal that was restored may have workflows of ended runs. */
const quietRoundEveryMs = 60_000
/** A run that waits for nobody and does not move is checked after this time. */
const stillSeconds = 30

/** Works unless another process holds the lock. Returns whether it was done. */
export async function underReconcilerLock(db: Db, work: () => Promise<void>): Promise<boolean> {
  return underSessionLock(db, advisoryLocks.reconciler, work)
}

/**
 * Compares Postgres with Temporal at the start of every API process and every fifteen seconds; once
 * a minute while nothing is open.
 */
export class Reconciler implements AsyncDisposable {
  readonly #rounds: RepeatedWork

  constructor(options: {
    readonly ctx: SystemContext
    readonly delivering: DeliveryContext
    readonly foreignNamespace: (error: ForeignNamespaceError) => void
  }) {
    const { ctx, delivering } = options
    const woken = new WokenWorkflows()
    let comparedAt = Number.NEGATIVE_INFINITY
    this.#rounds = new RepeatedWork({
      everyMs: roundEveryMs,
      work: async () => {
        const isDue = performance.now() - comparedAt >= quietRoundEveryMs
        if (!isDue && !(await hasOpenWork(ctx.db))) return
        await underReconcilerLock(ctx.db, async () => {
          await reconcileRuns(ctx, delivering, { log: ctx.log, woken, stillSeconds })
          for (const runId of await endDueRests(ctx, { lateSeconds: stillSeconds }))
            ctx.log.warn({ runId }, 'a conversation whose rest was over was completed')
          await recordRepeats(ctx)
          for (const requestId of await reconcileApprovals(delivering))
            ctx.log.warn({ requestId }, 'the request of a program had no workflow; it was started')
        })
        comparedAt = performance.now()
      },
      onError: (error) => {
        if (error instanceof ForeignNamespaceError) options.foreignNamespace(error)
        ctx.log.warn({ error: errorText(error) }, 'runs could not be compared with Temporal')
      },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rounds[Symbol.asyncDispose]()
  }
}

/** Whether there is anything whose workflow could be missing, late or behind. */
export async function hasOpenWork(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isOpen: boolean }>`
    select exists (select from run where ended_at is null)
      or exists (select from request where state = 'pending' and kind = 'external')
      or exists (select from refused_attempt) as "isOpen"
  `.execute(db)
  return rows[0]?.isOpen === true
}
