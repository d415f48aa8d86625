import { sql } from 'kysely'
import type { JsonObject } from '../../domain/json.ts'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { auditConditions, auditReaderOf, filterDetail, type AuditFilter } from './audit-filter.ts'
import { csvHeader, csvRow } from './audit-csv.ts'

const pageSize = 1000

export interface ExportedTrail {
  /** how many events there are: the population, for who draws a sample */
  readonly count: number
  readonly lines: AsyncGenerator<string, void, undefined>
}

/**
 * The trail as lines, oldest first: `jsonl` is the stored documents, byte for byte; `csv` has a header and escaped cells
 * (audit.md, reading). Exporting is an event itself, recorded before the first line and the last of them. Each line ends with a newline.
 * Rejects with `forbidden` for callers who may not read the whole trail, before anything is given out.
 */
export async function exportAudit(
  ctx: ServiceContext,
  caller: Caller,
  input: AuditFilter & { readonly format: 'jsonl' | 'csv'; readonly keyReadsAudit: boolean },
): Promise<ExportedTrail> {
  const { format, keyReadsAudit, ...filter } = input
  const reader = await auditReaderOf(ctx, caller, keyReadsAudit)
  if (!reader.all) throw new Problem('forbidden', 'Exporting the trail takes the right readAudit')
  const conditions = await auditConditions(ctx, reader, filter)
  await inUnitOfWork(ctx, (unit) =>
    unit.audit({
      type: 'audit.exported',
      actor: caller.actor,
      channel: caller.channel,
      detail: { format, filter: filterDetail(filter) },
    }),
  )
  const clock = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(ctx.db)
  const until = clock.rows[0]?.now ?? ''
  conditions.push(sql<boolean>`audit_event.at <= ${until}::text::timestamptz`)
  const where = sql.join(conditions, sql` and `)
  const counted = await sql<{ count: string }>`
    select count(*) as count from audit_event where ${where}
  `.execute(ctx.db)
  async function* lines(): AsyncGenerator<string, void, undefined> {
    if (format === 'csv') yield csvHeader
    let last = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
    for (;;) {
      const { rows } = await sql<{ document: string; at: string; id: string }>`
        select document, audit_event.at::text as at, id from audit_event
        where ${where} and (audit_event.at, audit_event.id) > (${last.at}::text::timestamptz, ${last.id}::text::uuid)
        order by audit_event.at, audit_event.id limit ${pageSize}
      `.execute(ctx.db)
      for (const row of rows) {
        yield format === 'csv'
          ? csvRow(JSON.parse(row.document) as JsonObject)
          : `${row.document}\n`
      }
      last = rows.at(-1) ?? last
      if (rows.length < pageSize) return
    }
  }
  return { count: Number(counted.rows[0]?.count ?? 0), lines: lines() }
}
