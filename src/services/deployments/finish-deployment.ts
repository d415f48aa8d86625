import { sql } from 'kysely'
import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem } from '../core/authority.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { putSaltedText } from '../requests/words/salted-text.ts'
import { deployer } from './consume-deployment-permit.ts'
import { lockDeployment } from './deployment-request.ts'

/** Records, once, whether GitHub accepted the answer; `unknown`: it may have. */
export async function finishDeployment(
  ctx: SystemContext,
  requestId: string,
  end: { readonly state: ExternalOutcome; readonly summary: string },
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, deployer), async (unit) => {
    const at = await lockDeployment(unit.tx, requestId)
    if (at === null || at.external.consumed_at === null) return
    const { outcome } = at.external
    if (outcome !== null && outcome !== 'unknown') return
    const { request } = at
    const summary = await putSaltedText(unit.tx, end.summary)
    await unit.tx
      .updateTable('external_request')
      .set({
        outcome: end.state,
        outcome_summary_hash: summary,
        outcome_at: sql<Date>`clock_timestamp()`,
      })
      .where('request_id', '=', requestId)
      .execute()
    await unit.audit({
      type: end.state === 'unknown' ? 'execution.unknown' : 'execution.finished',
      requestId,
      digest: request.digest,
      policyDigest: request.policy_digest,
      detail: { by: 'deployment', state: end.state, summary },
    })
    await unit.event('request.changed', { requestId })
  })
}
