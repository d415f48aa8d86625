import type { ServiceContext } from '../../services/context.ts'
import { noteStalls, type Stall } from '../../services/runs/note-stalls.ts'
import { lookAtWorkflow } from './look-at-workflow.ts'
import { stillRuns } from './still-runs.ts'
import type { TemporalClient } from '../temporal-client.ts'
import type { Woken } from '../outbox/woken.ts'

const runsAtOnce = 500

/** A workflow task that was tried this often in a row fails at the code, not at a worker that went away. */
export const stalledAfterAttempts = 3

/**
 * Looks at the workflow of every run that should move and does not. One that waits for nothing lost its signal, or
 * never had it: it is woken. One whose code keeps failing is shown as stalled until it moves again.
 */
export async function moveStillRuns(
  ctx: ServiceContext,
  temporal: TemporalClient,
  options: { readonly woken: Woken; readonly stillSeconds: number },
): Promise<{ readonly woken: readonly string[]; readonly stalled: readonly string[] }> {
  const woken: string[] = []
  const stalls: Stall[] = []
  const still = await stillRuns(ctx.db, { seconds: options.stillSeconds, most: runsAtOnce })
  for (const run of still) {
    const found = await lookAtWorkflow(temporal, run.workflow_id)
    if (found?.status !== 'RUNNING') continue
    if (found.taskAttempts >= stalledAfterAttempts)
      stalls.push({ runId: run.id, attempts: found.taskAttempts })
    if (found.idle && (await options.woken.wake(temporal, run))) woken.push(run.id)
  }
  return { woken, stalled: await noteStalls(ctx, stalls) }
}
