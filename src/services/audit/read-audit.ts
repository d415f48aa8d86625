import { sql } from 'kysely'
import type { AuditSubjects } from '#domain/text/event-sentence.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { keysBefore, pageFrom, pageSize } from '../core/pages.ts'
import { auditConditions, auditReaderOf, waysToRead, type AuditFilter } from './audit-filter.ts'
import { readSubjects } from './read-subjects.ts'
import { recordReading } from './record-reading.ts'
import { readStoredEvent } from './stored-event.ts'

export interface AuditPage {
  /** the stored documents, byte for byte: canonical JSON */
  readonly documents: readonly string[]
  readonly nextCursor: string | null
  /** texts of the page that SQL added and that are no events; an export has them */
  readonly unreadable: number
  /** present if it was asked for */
  readonly about?: AuditSubjects
}

/**
 * A page of the trail, newest first, by keyset (audit.md, reading): all of it for those with the
 * right `readAudit` and keys with `audit:read` (`keyReadsAudit`), for others the events of the
 * requests they may see.
 */
export async function readAudit(
  ctx: ServiceContext,
  caller: Caller,
  input: AuditFilter & {
    readonly cursor?: string
    readonly limit?: number
    readonly keyReadsAudit: boolean
    /** whether the page also describes what its events are about, with words that people wrote */
    readonly about?: boolean
  },
): Promise<AuditPage> {
  const { cursor, limit: _limit, keyReadsAudit, about, ...filter } = input
  const reader = await auditReaderOf(ctx, caller, keyReadsAudit)
  const conditions = await auditConditions(ctx, reader, filter)
  if (reader.canReadAll && cursor === undefined && filter.requestId === undefined) {
    await recordReading(ctx, caller, { format: 'page', filter })
  }
  const keys = keysBefore(input, 'audit', ['instant', 'id'])
  if (keys !== null) {
    conditions.push(
      sql<boolean>`(audit_event.at, audit_event.id) < (${keys[0]}::text::timestamptz, ${keys[1]}::text::uuid)`,
    )
  }
  const { rows } = await sql<{ document: string; at: string; id: string }>`${pageOfAny({
    columns: [sql`document`, sql`audit_event.at::text as at`, sql`id`],
    from: sql`audit_event`,
    where: conditions,
    anyOf: waysToRead(reader, filter),
    order: {
      keys: [sql`audit_event.at`, sql`audit_event.id`],
      descending: true,
      // In the order of the index of a type; the events of one actor or run are few.
      nullsLast:
        filter.type !== undefined && filter.actor === undefined && filter.runId === undefined,
    },
    limit: pageSize(input) + 1,
  })}`.execute(ctx.db)
  const page = pageFrom(rows, input, 'audit', ({ at, id }) => [at, id])
  const events = page.items.flatMap(({ document }) => {
    const event = readStoredEvent(document)
    return event === null ? [] : [{ document, event }]
  })
  const documents = events.map(({ document }) => document)
  const { nextCursor } = page
  const unreadable = page.items.length - events.length
  if (about !== true) return { documents, nextCursor, unreadable }
  const subjects = events.map(({ event }) => event)
  return { documents, nextCursor, unreadable, about: await readSubjects(ctx.db, subjects) }
}
