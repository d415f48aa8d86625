import type { ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/**
 * Writes into the trail that this process of the API serves from now on, or no longer (audit.md, What is recorded). One
 * that is killed leaves no `stopped`: the next `started` of the installation shows it. Rejects when it cannot be written.
 */
export async function recordProcess(
  ctx: ServiceContext,
  became: 'started' | 'stopped',
): Promise<void> {
  await inUnitOfWork(ctx, (unit) =>
    unit.audit({
      type: `system.${became}`,
      actor: { type: 'system', name: 'api' },
      channel: 'system',
      detail: { processId: ctx.processId },
    }),
  )
}
