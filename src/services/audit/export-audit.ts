import { sql } from 'kysely'
import type { JsonObject, Json } from '#domain/json/json.ts'
import { parseEvent } from '#store/audit/event-document.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import {
  auditConditions,
  exporterOf,
  filterDetail,
  recordExport,
  type AuditFilter,
} from './audit-filter.ts'

const pageSize = 1000

export interface ExportedTrail {
  /** the number of events: the population, for auditors who draw a sample */
  readonly count: number
  readonly lines: AsyncGenerator<string, void, undefined>
}

/**
 * The trail as lines, oldest first: `jsonl` has the stored documents, byte for byte; `csv` has a
 * header and escaped cells (audit.md, reading). The export is an event itself, recorded before the
 * first line, and is the last line. Each line ends with a newline. Rejects with `forbidden`, before
 * the first line, for callers who may not read the whole trail.
 */
export async function exportAudit(
  ctx: ServiceContext,
  caller: Caller,
  input: AuditFilter & { readonly format: 'jsonl' | 'csv'; readonly keyReadsAudit: boolean },
): Promise<ExportedTrail> {
  const { format, keyReadsAudit, ...filter } = input
  const exporting = { keyReadsAudit, subject: 'the trail' }
  const { reader, authority } = await exporterOf(ctx, caller, exporting)
  const conditions = await auditConditions(ctx, reader, filter)
  await recordExport(ctx, authority, { format, filter: filterDetail(filter) })
  const clock = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(ctx.db)
  const until = clock.rows[0]?.now ?? ''
  conditions.push(sql<boolean>`audit_event.at <= ${until}::text::timestamptz`)
  const where = sql.join(conditions, sql` and `)
  const total = await sql<{ count: string }>`
    select count(*) as count from audit_event where ${where}
  `.execute(ctx.db)
  async function* lines(): AsyncGenerator<string, void, undefined> {
    if (format === 'csv') yield csvHeader
    let last: Pick<ExportedRow, 'at' | 'id'> = {
      at: '-infinity',
      id: '00000000-0000-0000-0000-000000000000',
    }
    for (;;) {
      const { rows } = await sql<ExportedRow>`
        select document, audit_event.at::text as at, id, type from audit_event
        where ${where} and (audit_event.at, audit_event.id) > (${last.at}::text::timestamptz, ${last.id}::text::uuid)
        order by audit_event.at, audit_event.id limit ${pageSize}
      `.execute(ctx.db)
      for (const row of rows) yield lineOf(format, row)
      last = rows.at(-1) ?? last
      if (rows.length < pageSize) return
    }
  }
  return { count: Number(total.rows[0]?.count ?? 0), lines: lines() }
}

interface ExportedRow {
  readonly document: string
  readonly at: string
  readonly id: string
  readonly type: string
}

/** A text that SQL added and that is no event is a JSON string, or the detail of its row. */
function lineOf(format: 'jsonl' | 'csv', { document, at, id, type }: ExportedRow): string {
  const event = parseEvent(document)
  if (format === 'csv') return csvRow(event ?? { at, type, id, detail: document })
  return `${event === null ? JSON.stringify(document) : document}\n`
}

const columns = [
  'at',
  'type',
  'actor.type',
  'actor.id',
  'actor.name',
  'channel',
  'runId',
  'requestId',
  'callId',
  'digest',
  'policyDigest',
  'detail',
  'id',
]

/** First line of a CSV export. */
const csvHeader = `${columns.join(',')}\r\n`

/**
 * One event as a CSV line (RFC 4180). A cell that a spreadsheet would evaluate (`= + - @`, also in
 * full width, tab, line ends) is escaped.
 */
export function csvRow(event: JsonObject): string {
  return `${columns.map((column) => cell(valueAt(event, column))).join(',')}\r\n`
}

function valueAt(event: JsonObject, column: string): Json | undefined {
  let value: Json | undefined = event
  for (const name of column.split('.')) {
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined
  }
  return value
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const inert = /^[=+\-@＝＋－＠\t\r\n]/u.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
