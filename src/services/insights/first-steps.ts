import { sql } from 'kysely'
import { firstSteps, type FirstStep } from '#domain/first-step.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { runVisibleTo, requestVisibleTo } from '../requests/people/visible-to.ts'
import { viewerOf } from '../requests/people/viewer.ts'

/**
 * Which first steps with an installation were taken, as far as the caller may see: a run was
 * started, a colleague of its starter decided, an agent or program called with a key, somebody else
 * signed in.
 */
export async function readFirstSteps(
  ctx: ServiceContext,
  caller: Caller,
): Promise<readonly { readonly id: FirstStep; readonly done: boolean }[]> {
  const viewer = await viewerOf(ctx, caller)
  const { personId } = viewer
  const { rows } = await sql<Record<FirstStep, boolean>>`
    select
      exists (select 1 from run where ${runVisibleTo(viewer)}) as run,
      exists (select 1 from decision join request on request.id = decision.request_id
        where not decision.self_approved and ${requestVisibleTo(viewer, 'request')}) as decision,
      exists (select 1 from api_key where owner_id = ${personId} and last_used_at is not null) as agent,
      exists (select 1 from session where person_id <> ${personId} and channel <> 'development') as person
  `.execute(ctx.db)
  const [facts] = rows
  return firstSteps.map((id) => ({ id, done: facts?.[id] ?? false }))
}
