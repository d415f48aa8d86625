import { sql } from 'kysely'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { wordsKeys, type AuditSubjects } from '#domain/text/event-sentence.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import { saltedText } from '../requests/words/salted-text.ts'
import type { StoredEvent } from './stored-event.ts'

interface SubjectRow extends Omit<AuditSubjects, 'words' | 'requests'> {
  readonly requests: readonly (AuditSubjects['requests'][number] & { readonly title: string })[]
}

/**
 * The subjects of stored events, in one query and one more for words: the events must be ones
 * that the reader may see.
 */
export async function readSubjects(db: Db, events: readonly StoredEvent[]): Promise<AuditSubjects> {
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
