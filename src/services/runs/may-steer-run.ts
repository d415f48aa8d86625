import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { assertVisible } from './reading/visible-run.ts'

/**
 * Authorises messages to a run and cancelling it (security.md 22): who started it or one above it, a person with the right
 * `manageRuns`, and the key that started it. Rejects with `not_found` when the caller may not even see the run.
 */
export async function assertMaySteer(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<void> {
  if (!(await maySteer(ctx, caller, runId))) {
    throw new Problem(
      'forbidden',
      'Only who started this run or one above it, the key that did, and people with the right manageRuns may do this',
    )
  }
}

/** As {@link assertMaySteer}, as an answer. Rejects with `not_found` all the same. */
export async function maySteer(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<boolean> {
  const viewer = await assertVisible(ctx, caller, runId)
  const { actor } = caller
  if (actor.type === 'person' && viewer.managesRuns) return true
  const lineage = await ctx.db
    .selectFrom('run_lineage')
    .innerJoin('run', 'run.id', 'run_lineage.ancestor_id')
    .select(['run.started_by', 'run.api_key_id'])
    .where('run_lineage.run_id', '=', runId)
    .execute()
  return lineage.some((run) =>
    actor.type === 'machine' ? run.api_key_id === actor.id : run.started_by === viewer.personId,
  )
}
