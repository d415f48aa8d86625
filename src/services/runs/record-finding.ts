import type { JsonObject } from '#domain/json/json.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/** Records what was found about a run, or done about it, in the trail, and updates open pages. */
export async function recordFinding(
  unit: UnitOfWork,
  runId: string,
  detail: JsonObject & { readonly found: string },
): Promise<void> {
  await unit.audit({ type: 'system.reconciled', runId, detail })
  await unit.event('run.changed', { runId })
}
