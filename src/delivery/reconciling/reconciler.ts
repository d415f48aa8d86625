import { sql } from 'kysely'
import { endDueRests } from '#services/engine/lifecycle/end-due-rests.ts'
import { recordRepeats } from '#services/refusals/record-refusal.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import { ForeignNamespaceError } from '#services/installation/remember-namespace.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { underSessionLock } from '#store/session-lock.ts'
import type { Db } from '#store/database.ts'
import type { SystemContext } from '#services/core/context.ts'
import type { DeliveryContext } from '../outbox/deliver-rows.ts'
import { reconcileRuns } from './reconcile-runs.ts'
import { RepeatedWork } from '../repeated-work.ts'
import { WokenWorkflows, workflowIds } from './workflows.ts'
import { approvalWorkflowId, startApproval } from '../outbox/start-for-request.ts'

/** Young requests are skipped: their start may be in progress. */
const settleAfterSeconds = 10
const requestsAtOnce = 500

/**
 * Restarts the workflow of every pending request of a program that has none, as after Temporal was
 * emptied or restored, and of the checks of its lost calls. Returns their ids. One process at a
 * time; call it under the reconciler's lock.
 */
export async function reconcileApprovals(delivering: DeliveryContext): Promise<readonly string[]> {
  const startedAgain: string[] = []
  let running: ReadonlySet<string> | null = null
  for (let after: string | null = null; ;) {
    const ids = await findWaiting(delivering.db, after)
    // Without such a request, Temporal is not asked.
    if (ids.length > 0) running ??= await runningApprovals(delivering)
    for (const id of ids) {
      if (running?.has(approvalWorkflowId(id)) === true) continue
      if ((await startApproval(delivering, id)) === 'started') startedAgain.push(id)
    }
    after = ids.at(-1) ?? null
    if (ids.length < requestsAtOnce) return startedAgain
  }
}

async function findWaiting(db: Db, after: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from request
    where state = 'pending' and run_id is null
      and (${after}::uuid is null or id > ${after}::uuid)
      and created_at < clock_timestamp() - ${settleAfterSeconds} * interval '1 second'
    order by id limit ${requestsAtOnce}
  `.execute(db)
  return rows.map((row) => row.id)
}

function runningApprovals({ temporal }: DeliveryContext): Promise<Set<string>> {
  return workflowIds(temporal, "WorkflowType = 'approvalRequest' AND ExecutionStatus = 'Running'")
}

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
      or exists (select from request where state = 'pending' and run_id is null)
      or exists (select from refused_attempt) as "isOpen"
  `.execute(db)
  return rows[0]?.isOpen === true
}
