import { isUsable } from './is-usable.ts'
import { sql } from 'kysely'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/**
 * Takes one use of a grant in the executor's transaction, and records it. Returns the number of the
 * use; `null` if the grant is revoked, ended, past its end by the database's clock, or used up:
 * then it permits nothing. The caller has found it for this call in the same transaction, under the
 * run's lock.
 */
export async function useGrant(
  unit: UnitOfWork,
  use: {
    readonly grantId: string
    readonly runId: string
    readonly callId: string
    readonly digest: string
    readonly policyDigest: string
  },
): Promise<number | null> {
  const grant = await unit.tx
    .updateTable('approval_grant')
    .set({ uses: sql<number>`uses + 1` })
    .where('id', '=', use.grantId)
    .where(isUsable)
    .returning('uses')
    .executeTakeFirst()
  if (grant === undefined) return null
  await unit.audit({
    type: 'grant.used',
    runId: use.runId,
    callId: use.callId,
    digest: use.digest,
    policyDigest: use.policyDigest,
    detail: { grantId: use.grantId, uses: grant.uses },
  })
  return grant.uses
}
