import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { viewerOf } from '../requests/viewer.ts'
import { runVisibleTo } from '../requests/visible-to.ts'

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
  const viewer = await viewerOf(ctx, caller)
  if (!isUuid(runId)) throw missing(runId)
  const seen = await ctx.db
    .selectFrom('run')
    .select('id')
    .where('id', '=', runId)
    .where(runVisibleTo(viewer, 'run.id'))
    .executeTakeFirst()
  if (seen === undefined) throw missing(runId)
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

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

function missing(runId: string): Problem {
  return new Problem('not_found', `There is no run ${runId.slice(0, 80)} that you may see`)
}
