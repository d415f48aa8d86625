import { clearTranscript } from '#services/retention/clear-transcript.ts'
import { dueRuns, type RunCursor } from '#services/retention/due-runs.ts'
import { removeDelivered, removeRecords } from '#services/retention/remove-records.ts'
import { ruleText } from '#services/retention/retention-rules.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { underSessionLock } from '#store/session-lock.ts'
import type { Db } from '#store/database.ts'
import { dropReleased, forgetRemoved } from '#store/content/drop-content.ts'
import { RepeatedWork, warnWith } from './repeated-work.ts'
import type { SystemContext } from '#services/core/context.ts'

const everyMs = 10 * 60 * 1000
const runBatchSize = 50
const contentBatchSize = 2000
/** Each batch scans whole tables for references, so a round makes at most this many. */
const maxBatches = 20

/**
 * Removes what `retention` in countersign.yaml names. Every API process runs it, one at a time, in
 * small transactions, so that a later round continues after an interruption. Without the setting it
 * removes only notifications that were delivered long ago.
 */
export function repeatRetention(ctx: SystemContext): RepeatedWork {
  return new RepeatedWork({
    everyMs,
    work: (closing) => keepRetention(ctx, closing),
    onError: warnWith(ctx.log, 'a round of retention failed; the next one goes on'),
  })
}

/** Runs one round over everything that is due, unless another process is running one. */
export async function keepRetention(ctx: SystemContext, stopping: AbortSignal): Promise<void> {
  const { transcriptsMs, recordsMs } = (await ctx.policies.inForce()).config.retention
  await underSessionLock(ctx.db, advisoryLocks.retention, async () => {
    if (recordsMs === null) await removeDelivered(ctx.db, stopping)
    else await removeRecords(ctx.db, { olderThanMs: recordsMs, stopping })
    if (transcriptsMs !== null) await clearRuns(ctx, transcriptsMs, stopping)
    // This includes content released by others, or under a rule that has since been removed.
    await dropContents(ctx.db, stopping)
  })
}

async function clearRuns(
  ctx: SystemContext,
  olderThanMs: number,
  stopping: AbortSignal,
): Promise<void> {
  const rule = ruleText('transcripts', olderThanMs)
  let after: RunCursor | null = null
  let cleared = 0
  for (;;) {
    const due: RunCursor[] = await dueRuns(ctx.db, { olderThanMs, after, maxRuns: runBatchSize })
    for (const run of due) {
      if (stopping.aborted) return
      if ((await clearTranscript(ctx, { runId: run.id, rule, olderThanMs })) !== null) cleared += 1
    }
    after = due.at(-1) ?? null
    if (due.length < runBatchSize) break
  }
  if (cleared > 0)
    ctx.log.info({ runs: cleared }, 'removed the transcripts of runs that ended long ago')
}

async function dropContents(db: Db, stopping: AbortSignal): Promise<void> {
  for (let look = 0; look < maxBatches && !stopping.aborted; look += 1) {
    const { looked: examined } = await dropReleased(db, { maxContents: contentBatchSize })
    if (examined < contentBatchSize) break
  }
  await forgetRemoved(db, { maxContents: contentBatchSize })
}
