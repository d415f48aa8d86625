import { toJsonb } from '../../store/database.ts'
import type { RunFailure } from '../../store/tables/runs.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/** A run whose workflow code fails, and how often in a row it has. */
export interface Stall {
  readonly runId: string
  readonly attempts: number
}

const caller: Caller = { actor: { type: 'system', name: 'reconciler' }, channel: 'relay' }

/**
 * Shows exactly these runs as `stalled` (architecture.md, deployments) and no longer those that move again. It is a
 * remark beside the run's state and decides nothing. Answers the ids of the runs that were not shown so before.
 */
export async function noteStalls(
  ctx: ServiceContext,
  stalls: readonly Stall[],
): Promise<readonly string[]> {
  const ids = stalls.map((stall) => stall.runId)
  await clearOthers(ctx, ids)
  const noted: string[] = []
  for (const { runId, attempts } of stalls) {
    const isNew = await inUnitOfWork(ctx, async (unit) => {
      const changed = await unit.tx
        .updateTable('run')
        .set({ failure: toJsonb(failureOf(attempts)) })
        .where('id', '=', runId)
        .where('ended_at', 'is', null)
        .where('failure', 'is', null)
        .executeTakeFirst()
      if (changed.numUpdatedRows === 0n) return false
      await unit.audit({
        type: 'system.reconciled',
        ...caller,
        runId,
        detail: { found: 'stalled', attempts },
      })
      await unit.event('run.changed', { runId })
      return true
    })
    if (isNew) noted.push(runId)
  }
  return noted
}

async function clearOthers(ctx: ServiceContext, stalled: readonly string[]): Promise<void> {
  await inUnitOfWork(ctx, async (unit) => {
    let query = unit.tx
      .updateTable('run')
      .set({ failure: null })
      .where('ended_at', 'is', null)
      .where((where) => where(where.ref('failure', '->>').key('code'), '=', 'stalled'))
    if (stalled.length > 0) query = query.where('id', 'not in', [...stalled])
    for (const { id } of await query.returning('id').execute()) {
      await unit.audit({
        type: 'system.reconciled',
        ...caller,
        runId: id,
        detail: { found: 'moves_again' },
      })
      await unit.event('run.changed', { runId: id })
    }
  })
}

function failureOf(attempts: number): RunFailure {
  return {
    code: 'stalled',
    message:
      `The workflow code of the Temporal workers has failed ${attempts} times in a row on this run, and is tried again: ` +
      'probably a deployment does not fit it. Nothing is lost. Look at the log of the Temporal workers; ' +
      'with code that fits, the run goes on by itself.',
  }
}
