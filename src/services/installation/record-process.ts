import { inUnitOfWork } from '../core/unit-of-work.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem, type SystemCaller } from '../core/authority.ts'

const api: SystemCaller = { actor: { type: 'system', name: 'api' }, channel: 'system' }

/**
 * Writes into the trail that this process of the API serves from now on, or no longer (audit.md,
 * What is recorded). One that is killed leaves no `stopped`: the next `started` of the installation
 * shows it. Rejects when it cannot be written.
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
