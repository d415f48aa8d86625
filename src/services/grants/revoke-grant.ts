import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { lockRequests, lockRun } from '../core/locks.ts'
import { viewerOf } from '../requests/people/viewer.ts'
import { runVisibleTo } from '../requests/people/visible-to.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { byOwnerOrNull, byRightOrNull } from '../core/authority.ts'

/**
 * Ends a grant at once, for its giver, the starter of the root run, or holders of `manageRuns`
 * (security.md 22). A revoked grant stays so. Rejects with `not_found` and `forbidden`.
 */
export async function revokeGrant(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly grantId: string },
): Promise<void> {
  const viewer = await viewerOf(ctx, caller)
  const visibleGrant = await ctx.db
    .selectFrom('approval_grant')
    .innerJoin('run', 'run.id', 'approval_grant.root_run_id')
    .select([
      'approval_grant.root_run_id',
      'approval_grant.request_id',
      'approval_grant.granted_by',
      'run.started_by',
    ])
    .where('approval_grant.id', '=', input.grantId)
    .where(runVisibleTo(viewer))
    .executeTakeFirst()
  if (visibleGrant === undefined)
    throw new Problem('not_found', `There is no grant ${input.grantId}`)
  if (caller.actor.type !== 'person') {
    throw new Problem('forbidden', 'Only people can revoke grants')
  }
  const sentence =
    'Only the person who approved it, the starter of the run and people with the right manageRuns can revoke it'
  const authority =
    byOwnerOrNull(caller, [visibleGrant.granted_by, visibleGrant.started_by]) ??
    (viewer.managesRuns ? await byRightOrNull(ctx, caller, 'manageRuns') : null)
  if (authority === null) throw new Problem('forbidden', sentence)
  await inUnitOfWork(ctx, authority, async (unit) => {
    await lockRun(unit.tx, visibleGrant.root_run_id)
    const [request] = await lockRequests(unit.tx, [visibleGrant.request_id])
    const grant = await unit.tx
      .selectFrom('approval_grant')
      .selectAll()
      .where('id', '=', input.grantId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (grant.revoked_at !== null || grant.ended_at !== null) return
    await unit.tx
      .updateTable('approval_grant')
      .set({ revoked_at: sql<Date>`clock_timestamp()`, revoked_by: viewer.personId })
      .where('id', '=', grant.id)
      .execute()
    unit.revoke('grant', [grant.id])
    await unit.audit({
      type: 'grant.revoked',
      runId: grant.root_run_id,
      requestId: grant.request_id,
      ...(request?.call_id == null ? {} : { callId: request.call_id }),
      digest: grant.digest,
      detail: { grantId: grant.id, uses: grant.uses },
    })
    await unit.event('run.changed', { runId: grant.root_run_id })
  })
}
