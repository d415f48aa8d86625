import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem } from '../core/authority.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { recordOutcome } from '../external/record-execution.ts'
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
    const { state } = end
    const summaryHash = await putSaltedText(unit.tx, end.summary)
    const detail = { state, summary: summaryHash }
    await recordOutcome(unit, at.request, { by: 'deployment', state, summaryHash, detail })
  })
}
