import { sql } from 'kysely'
import type { Caller } from '../core/context.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/**
 * Ends the grants of a root run, which end with it (product.md 10), or those that keys have sealed,
 * and returns how many. `by`: the actor in the trail; absent: the unit's authority.
 */
export async function endGrants(
  unit: UnitOfWork,
  of: { readonly rootRunId: string } | { readonly keyIds: readonly string[] },
  by?: Caller,
): Promise<number> {
  const grants = await unit.tx
    .updateTable('approval_grant')
    .set({ ended_at: sql<Date>`clock_timestamp()` })
    .where((grant) =>
      'rootRunId' in of
        ? grant('root_run_id', '=', of.rootRunId)
        : grant('key_id', 'in', of.keyIds),
    )
    .where('ended_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning(['id', 'root_run_id', 'request_id'])
    .execute()
  unit.revoke(
    'grant',
    grants.map(({ id }) => id),
  )
  for (const grant of grants) {
    await unit.audit({
      type: 'grant.ended',
      ...(by === undefined ? {} : { actor: by.actor, channel: by.channel }),
      runId: grant.root_run_id,
      detail: { grantId: grant.id, of: grant.request_id },
    })
  }
  return grants.length
}
