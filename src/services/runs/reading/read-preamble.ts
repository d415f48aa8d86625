import type { PreambleVersion } from '#policy/worker/worker-digest.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { pinnedWorkerOf, preambleOf } from '../../core/runs/pinned-worker.ts'
import { termsOf } from '../../core/run-terms.ts'
import { assertVisible } from '../visible-run.ts'

export interface PreambleRecord {
  /** 0: the run is from before there was a preamble, and `text` is empty */
  readonly version: PreambleVersion
  readonly text: string
}

/**
 * The preamble that a run's model gets in every turn (product.md 32). Rejects with `not_found` for
 * a run that the caller may not see.
 */
export async function readPreamble(
  ctx: ServiceContext,
  caller: Caller,
  runId: string,
): Promise<PreambleRecord> {
  await assertVisible(ctx, caller, runId)
  const run = await ctx.db
    .selectFrom('run')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  const [pinned, terms] = await Promise.all([pinnedWorkerOf(ctx, run), termsOf(ctx, run)])
  return { version: pinned.preambleVersion, text: preambleOf(pinned, run, terms) }
}
