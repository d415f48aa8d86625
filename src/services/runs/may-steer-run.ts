import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { assertVisible } from './visible-run.ts'
import { byOwnerOrNull, byRightOrNull, type Authority } from '../core/authority.ts'

/**
 * The authority to send messages to a run and to cancel it (security.md 22): for its starter or
 * that of a run above, a person with the right `manageRuns`, and the key that started it. Rejects
 * with `not_found` when the caller may not see the run.
 */
export async function bySteering(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<Authority> {
  const authority = await bySteeringOrNull(ctx, caller, runId)
  if (authority !== null) return authority
  throw new Problem(
    'forbidden',
    'Only the starter of this run or of one above it, and people with the right manageRuns, may do this',
  )
}

/** The same; `null`: the caller sees the run but has no authority. */
export async function bySteeringOrNull(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<Authority | null> {
  const viewer = await assertVisible(ctx, caller, runId)
  const lineage = await ctx.db
    .selectFrom('run_lineage')
    .innerJoin('run', 'run.id', 'run_lineage.ancestor_id')
    .select(['run.started_by', 'run.api_key_id'])
    .where('run_lineage.run_id', '=', runId)
    .execute()
  const owner = byOwnerOrNull(
    caller,
    lineage.flatMap((run) => [run.started_by, run.api_key_id]),
  )
  if (owner !== null || !viewer.managesRuns) return owner
  return byRightOrNull(ctx, caller, 'manageRuns')
}
