import { recordOf } from '#domain/json/record-of.ts'
import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { countDueRuns } from './due-runs.ts'
import { isDue, oldRecords, recordKinds, type RecordCounts } from './old-records.ts'
import { byRight } from '../core/authority.ts'

/** What the rules would remove now; `null` for a rule that is neither set nor tried. */
export interface RetentionPreview {
  readonly transcripts: { readonly olderThanMs: number; readonly runs: number } | null
  readonly records: { readonly olderThanMs: number; readonly counts: RecordCounts } | null
}

/**
 * Counts what `retention` would remove now, by the rules in force or by others to try. Removes
 * nothing. Rejects with `forbidden` without the right `readAudit`.
 */
export async function previewRetention(
  ctx: ServiceContext,
  caller: Caller,
  rules: { readonly transcriptsMs?: number; readonly recordsMs?: number },
): Promise<RetentionPreview> {
  await byRight(ctx, caller, 'readAudit')
  const { retention } = (await ctx.policies.inForce()).config
  const transcriptsMs = rules.transcriptsMs ?? retention.transcriptsMs
  const recordsMs = rules.recordsMs ?? retention.recordsMs
  return {
    transcripts:
      transcriptsMs === null
        ? null
        : { olderThanMs: transcriptsMs, runs: await countDueRuns(ctx.db, transcriptsMs) },
    records:
      recordsMs === null
        ? null
        : { olderThanMs: recordsMs, counts: await countRecords(ctx.db, recordsMs) },
  }
}

async function countRecords(db: Db, olderThanMs: number): Promise<RecordCounts> {
  const counts: RecordCounts = recordOf(recordKinds, () => 0)
  for (const kind of recordKinds) {
    const { rows } = await sql<{ count: string }>`
      select count(*) from ${oldRecords[kind].table} where ${isDue(oldRecords[kind], olderThanMs)}
    `.execute(db)
    counts[kind] = Number(rows[0]?.count ?? 0)
  }
  return counts
}
