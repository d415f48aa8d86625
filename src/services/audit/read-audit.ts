import { sql } from 'kysely'
import { type AuditSubjects, wordsKeys } from '#domain/text/event-sentence.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { keysBefore, pageFrom, pageSize } from '../core/pages.ts'
import { auditConditions, auditReaderOf, waysToRead, type AuditFilter } from './audit-filter.ts'
import { recordReading } from './record-reading.ts'
import { readStoredEvent, type StoredEvent } from './stored-event.ts'
import { saltedText } from '../requests/words/salted-text.ts'

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

interface SubjectRow extends Omit<AuditSubjects, 'words' | 'requests'> {
  readonly requests: readonly (AuditSubjects['requests'][number] & { readonly title: string })[]
}

/**
 * The subjects of stored events, in one query and one more for words: the events must be ones
 * that the reader may see.
 */
async function readSubjects(db: Db, events: readonly StoredEvent[]): Promise<AuditSubjects> {
  const idsOf = (id: (event: StoredEvent) => string | undefined): string[] => [
    ...new Set(events.flatMap((event) => id(event) ?? [])),
  ]
  const { rows } = await sql<SubjectRow>`
    select
      coalesce((select jsonb_agg(jsonb_build_object('id', request.id, 'number', request.number,
          'kind', request.kind, 'title', request.title,
          'effect', coalesce(revision.effect, request.title)))
        from request join request_revision as revision
          on revision.request_id = request.id and revision.revision = request.revision
        where request.id = any(${idsOf(({ requestId }) => requestId)}::uuid[])), '[]') as requests,
      coalesce((select jsonb_agg(jsonb_build_object(
          'id', run.id, 'number', run.number, 'worker', run.worker))
        from run where run.id = any(${idsOf(({ runId }) => runId)}::uuid[])), '[]') as runs,
      coalesce((select jsonb_agg(jsonb_build_object('id', call.id, 'tool', call.tool))
        from tool_call as call where call.id = any(${idsOf(({ callId }) => callId)}::uuid[])), '[]') as calls
  `.execute(db)
  const hashes = events.flatMap(({ type, detail }) => {
    const hash = detail[wordsKeys[type] ?? '']
    return typeof hash === 'string' ? [hash] : []
  })
  const texts = await getRemainingTexts(db, hashes)
  const words = Array.from(texts, ([hash, document]) => ({ hash, text: saltedText(document) }))
  const { requests = [], runs = [], calls = [] } = rows[0] ?? {}
  return {
    requests: requests.map(({ title, ...request }) => ({
      ...request,
      effect: requestHeadline({ ...request, title }),
    })),
    runs,
    calls,
    words,
  }
}
