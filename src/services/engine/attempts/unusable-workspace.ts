import type { Selectable } from 'kysely'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import { toJsonb } from '#store/database.ts'
import type { RunFailure, RunTable } from '#store/tables/runs.ts'
import { bySystem, executor } from '../../core/authority.ts'
import type { SystemContext } from '../../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { recordFinding } from '../../runs/record-finding.ts'

const code = 'workspace_unusable'

/**
 * Runs a step of a run. If it rejects because the workspace cannot be used, the run gets a mark
 * with the reason, for people; then this rejects too. The workflow tries the step again, so that
 * the run continues when the workspace can be used.
 */
export async function markingUnusable<T>(
  ctx: SystemContext,
  of: { readonly runId: string } | { readonly callId: string },
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof UnusableWorkspace) await mark(ctx, of, error.message)
    throw error
  }
}

async function mark(
  ctx: SystemContext,
  of: { readonly runId: string } | { readonly callId: string },
  why: string,
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const run = await unit.tx
      .selectFrom('run')
      .select(['id', 'workspace'])
      .where('ended_at', 'is', null)
      .where('failure', 'is', null)
      .where('id', '=', (where) =>
        'runId' in of
          ? where.val(of.runId)
          : where.selectFrom('tool_call').select('run_id').where('id', '=', of.callId),
      )
      .forUpdate()
      .executeTakeFirst()
    if (run === undefined) return
    const message = `The workspace ${run.workspace} cannot be used: ${why}. Nothing is lost: the run continues by itself, within a minute, when that is corrected.`
    await setFailure(unit, run.id, { code, message })
    await recordFinding(unit, run.id, { found: code, workspace: run.workspace, why })
  })
}

/** Removes the mark from a run that continues. The caller holds the run's lock. */
export async function unmarkUnusable(
  unit: UnitOfWork,
  run: Pick<Selectable<RunTable>, 'id' | 'failure'>,
): Promise<void> {
  if (run.failure?.code !== code) return
  await setFailure(unit, run.id, null)
  await recordFinding(unit, run.id, { found: 'moves_again' })
}

async function setFailure(
  unit: UnitOfWork,
  runId: string,
  failure: RunFailure | null,
): Promise<void> {
  await unit.tx
    .updateTable('run')
    .set({ failure: failure === null ? null : toJsonb(failure) })
    .where('id', '=', runId)
    .execute()
}
