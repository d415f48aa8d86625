import { sql } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { lockRequests, lockRun } from '../locks.ts'
import { viewerOf } from '../requests/viewer.ts'
import { runVisibleTo } from '../requests/visible-to.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/**
 * Ends a grant with immediate effect: its giver, who started the root run, or who holds `manageRuns` (security.md 22).
 * Revoking it again changes nothing. Rejects with `not_found` and `forbidden`.
 */
export async function revokeGrant(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly grantId: string },
): Promise<void> {
  const viewer = await viewerOf(ctx, caller)
  const found = await ctx.db
    .selectFrom('approval_grant')
    .innerJoin('run', 'run.id', 'approval_grant.root_run_id')
    .select(['approval_grant.root_run_id', 'approval_grant.request_id', 'run.started_by'])
    .where('approval_grant.id', '=', input.grantId)
    .where(runVisibleTo(viewer, 'approval_grant.root_run_id'))
    .executeTakeFirst()
  if (found === undefined) throw new Problem('not_found', `There is no grant ${input.grantId}`)
  if (caller.actor.type !== 'person') {
    throw new Problem('forbidden', 'Only people revoke grants')
  }
  await inUnitOfWork(ctx, async (unit) => {
    await lockRun(unit.tx, found.root_run_id)
    const [request] = await lockRequests(unit.tx, [found.request_id])
    const grant = await unit.tx
      .selectFrom('approval_grant')
      .selectAll()
      .where('id', '=', input.grantId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const may = [grant.granted_by, found.started_by].includes(viewer.personId)
    if (!may && !viewer.managesRuns) {
      throw new Problem('forbidden', 'Only its giver, the starter or who manages runs revokes it')
    }
    if (grant.revoked_at !== null || grant.ended_at !== null) return
    await unit.tx
      .updateTable('approval_grant')
      .set({ revoked_at: sql<Date>`clock_timestamp()`, revoked_by: viewer.personId })
      .where('id', '=', grant.id)
      .execute()
    await unit.audit({
      type: 'grant.revoked',
      actor: caller.actor,
      channel: caller.channel,
      runId: grant.root_run_id,
      requestId: grant.request_id,
      ...(request?.call_id == null ? {} : { callId: request.call_id }),
      digest: grant.digest,
      detail: { grantId: grant.id, uses: grant.uses },
    })
    await unit.event('run.changed', { runId: grant.root_run_id })
  })
}
