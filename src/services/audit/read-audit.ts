import { sql } from 'kysely'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import { decodeCursor, encodeCursor } from '../../store/keyset.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { auditConditions, auditReaderOf, type AuditFilter } from './audit-filter.ts'
import { recordReading } from './record-reading.ts'

export interface AuditPage {
  /** the stored documents, byte for byte: canonical JSON */
  readonly documents: readonly string[]
  readonly nextCursor: string | null
}

/**
 * A page of the trail, newest first, by keyset (audit.md, reading): all of it for those with the right `readAudit` and
 * keys with `audit:read` (`keyReadsAudit`), for others the events of the requests they may see.
 */
export async function readAudit(
  ctx: ServiceContext,
  caller: Caller,
  input: AuditFilter & {
    readonly cursor?: string
    readonly limit?: number
    readonly keyReadsAudit: boolean
  },
): Promise<AuditPage> {
  const { cursor, limit: asked, keyReadsAudit, ...filter } = input
  const limit = Math.min(asked ?? limits.listDefault, limits.listMost)
  const reader = await auditReaderOf(ctx, caller, keyReadsAudit)
  const conditions = await auditConditions(ctx, reader, filter)
  if (reader.all && cursor === undefined && filter.requestId === undefined) {
    await recordReading(ctx, caller, { format: 'page', filter })
  }
  if (cursor !== undefined) {
    const keys = decodeCursor(cursor, 'audit', ['instant', 'id'])
    if (keys === null) throw cursorProblem()
    conditions.push(
      sql<boolean>`(audit_event.at, audit_event.id) < (${keys[0]}::text::timestamptz, ${keys[1]}::text::uuid)`,
    )
  }
  const where = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
  const { rows } = await sql<{ document: string; at: string; id: string }>`
    select document, audit_event.at::text as at, id from audit_event
    where ${where}
    order by audit_event.at desc, audit_event.id desc
    limit ${limit + 1}
  `.execute(ctx.db)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    documents: page.map((row) => row.document),
    nextCursor: more ? encodeCursor('audit', [last.at, last.id]) : null,
  }
}

function cursorProblem(): Problem {
  const message = 'is not a cursor of this list'
  return new Problem('invalid_request', `cursor ${message}`, { field: 'cursor', message })
}
