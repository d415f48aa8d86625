import { sql } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import { type Db, toJsonb } from '#store/database.ts'
import type { RunFailure } from '#store/tables/runs.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { recordFinding } from './record-finding.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem, reconciler } from '../core/authority.ts'

/** Why the workflow tasks of a run fail. */
export interface TaskFailure {
  /** the workflow code does not fit the history; another failure; unknown */
  readonly kind: 'does_not_fit' | 'fails' | 'unknown'
  /** the error message of the workflow code, on one line; `null`: there is none */
  readonly message: string | null
}

/** A run whose workflow tasks fail, how often in a row, and why. */
export interface Stall {
  readonly runId: string
  readonly attempts: number
  readonly why: TaskFailure
  /** how often its workflow was restarted because of this, in the last day */
  readonly restarts: number
}

/**
 * Marks these runs as `stalled` (architecture.md, deployments), and removes the mark from those
 * that are neither among them nor among `unsure`. The mark is for people and decides nothing.
 * Returns those that had no mark.
 */
export async function markStalls(
  ctx: SystemContext,
  stalls: readonly Stall[],
  unsure: readonly string[],
): Promise<readonly Stall[]> {
  await clearOthers(ctx, [...stalls.map((stall) => stall.runId), ...unsure])
  const marked: Stall[] = []
  for (const stall of stalls) {
    const { runId, attempts, why } = stall
    const isNew = await inUnitOfWork(ctx, bySystem(ctx, reconciler), async (unit) => {
      const changed = await unit.tx
        .updateTable('run')
        .set({ failure: toJsonb(failureOf(stall)) })
        .where('id', '=', runId)
        .where('ended_at', 'is', null)
        .where('failure', 'is', null)
        .executeTakeFirst()
      if (changed.numUpdatedRows === 0n) return false
      const detail = { found: 'stalled', attempts, why: why.kind, message: why.message }
      await recordFinding(unit, runId, detail)
      return true
    })
    if (isNew) marked.push(stall)
  }
  return marked
}

/** Records, before it is done, that a run's workflow is restarted because its tasks fail. */
export async function recordRestart(ctx: SystemContext, stall: Stall): Promise<void> {
  const { runId, attempts, why } = stall
  await inUnitOfWork(ctx, bySystem(ctx, reconciler), async (unit) => {
    await unit.tx
      .updateTable('run')
      .set({ failure: toJsonb(failureOf({ ...stall, restarts: stall.restarts + 1 })) })
      .where('id', '=', runId)
      .where('ended_at', 'is', null)
      .where((where) => where(where.ref('failure', '->>').key('code'), '=', 'stalled'))
      .execute()
    const detail = { found: 'restarted', attempts, why: why.kind, message: why.message }
    await recordFinding(unit, runId, detail)
  })
}

/** How often the workflow of a run was restarted in the last day because its tasks failed. */
export async function restartsOf(db: Db, runId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_event
    where run_id = ${runId} and type = 'system.reconciled'
      and at > clock_timestamp() - interval '1 day'
      and ${eventDocument} -> 'detail' ->> 'found' = 'restarted'
  `.execute(db)
  return rows[0]?.count ?? 0
}

async function clearOthers(ctx: SystemContext, stalled: readonly string[]): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, reconciler), async (unit) => {
    let query = unit.tx
      .updateTable('run')
      .set({ failure: null })
      .where('ended_at', 'is', null)
      .where((where) => where(where.ref('failure', '->>').key('code'), '=', 'stalled'))
    if (stalled.length > 0) query = query.where('id', 'not in', [...stalled])
    for (const { id } of await query.returning('id').execute()) {
      await recordFinding(unit, id, { found: 'moves_again' })
    }
  })
}

const reasons = {
  does_not_fit:
    'the workflow code of this version does not fit what the run has recorded at Temporal',
  fails: 'the workflow code fails on it',
  unknown: 'Temporal gives no reason: the Temporal workers may be stopping during the task',
} as const

function failureOf({ attempts, why, restarts }: Stall): RunFailure {
  const quote = why.message === null ? '' : `: “${why.message}”`
  const times = restarts === 1 ? 'once' : `${restarts} times`
  const remedy =
    restarts === 0
      ? 'Nothing is lost: its workflow is started again from the recorded state and continues.'
      : `Nothing is lost. Its workflow was started again ${times} within a day; check the log of the Temporal workers. The run ` +
        'continues by itself when the cause is corrected.'
  return {
    code: 'stalled',
    message: `The workflow task of this run failed ${attempts} times in a row, because ${reasons[why.kind]}${quote}. ${remedy}`,
  }
}
