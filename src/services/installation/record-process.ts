import { inUnitOfWork } from '../core/unit-of-work.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem, type SystemCaller } from '../core/authority.ts'

const api: SystemCaller = { actor: { type: 'system', name: 'api' }, channel: 'system' }

/**
 * Records in the trail that this API process starts or stops serving (audit.md, What is recorded).
 * A killed process records no `stopped`; the next `started` of the installation shows that. Rejects
 * when it cannot be written.
 */
export async function recordProcess(
  ctx: SystemContext,
  event: 'started' | 'stopped',
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, api), (unit) =>
    unit.audit({
      type: `system.${event}`,
      detail: { processId: ctx.processId },
    }),
  )
}
