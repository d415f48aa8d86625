import { NamespaceGuard } from '#delivery/namespace-guard.ts'
import { Reconciler } from '#delivery/reconciling/reconciler.ts'
import { ScheduleKeeper } from '#delivery/schedules/keep-schedules.ts'
import { RunListing } from '#delivery/run-listing.ts'
import { Relay } from '#delivery/outbox/relay.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import { admitRun } from '#services/engine/lifecycle/admit-run.ts'
import type { AnnouncedDecision, WrittenOutboxRow } from '#store/records/outbox.ts'
import type { Config } from '../config/config.ts'
import type { SigningSystemContext } from '#services/core/context.ts'

export interface Deliveries {
  /** Delivers rows that this process committed; before `begin` the first round does. */
  readonly onCommitted: (rows: readonly WrittenOutboxRow[]) => void
  /** Signals a decision that this process is committing. */
  readonly announce: (decision: AnnouncedDecision) => Promise<boolean> | undefined
  /** Calls `foreign` if Temporal turns out to be another one: the process must stop. */
  readonly begin: (ctx: SigningSystemContext, foreign: (sentence: string) => void) => void
}

/** The relay and the reconciler of an API process, stopped if Temporal is a foreign one. */
export function createDeliveries(
  temporal: TemporalClient,
  config: Config,
  undo: AsyncDisposableStack,
): Deliveries {
  let relay: Relay | null = null
  return {
    onCommitted: (rows) => relay?.deliver(rows),
    announce: (decision) => relay?.announce(decision),
    begin: (ctx, foreign) => {
      const { db, processId, log } = ctx
      const guard = new NamespaceGuard({ db, temporal })
      const admit = (runId: string): Promise<boolean> => admitRun(ctx, { runId })
      const { databaseUrl, publicUrl, taskQueue } = config
      const listing = undo.use(new RunListing({ db, temporal, publicUrl, log }))
      const delivering = { db, temporal, guard, taskQueue, admit, listing }
      const foreignNamespace = (error: Error) => foreign(error.message)
      relay = undo.use(new Relay({ delivering, databaseUrl, processId, log, foreignNamespace }))
      undo.use(new Reconciler({ ctx, delivering, foreignNamespace }))
      undo.use(new ScheduleKeeper({ ctx, temporal, guard, taskQueue, databaseUrl }))
    },
  }
}
