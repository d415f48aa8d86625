import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Problem } from '#domain/problem.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RecordOf } from '../../core/record-of.ts'
import { erasedText } from './erased-words.ts'

/** The erasure of a request's contents: when, by whom, and the hashes and sizes. */
export type RequestErasure = RecordOf<NonNullable<RequestDetail['erased']>>

/** `null`: its contents were not erased. */
async function readRequestErasure(db: Db | Tx, requestId: string): Promise<RequestErasure | null> {
  const row = await db
    .selectFrom('erased_request')
    .innerJoin('person', 'person.id', 'erased_request.by_id')
    .select(['person.id', 'person.name', 'erased_request.at', 'erased_request.contents'])
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { at: row.at, by: { id: row.id, name: row.name }, contents: row.contents }
}

/** Rejects with `not_found`, saying when and by whom, for bytes that were erased. */
export async function refuseErased(db: Db | Tx, requestId: string | null): Promise<void> {
  const erasure = requestId === null ? null : await readRequestErasure(db, requestId)
  if (erasure === null) return
  const erasedPhrase = erasedText({ by: erasure.by.name, at: erasure.at }).slice(1, -1)
  throw new Problem('not_found', `The contents of this request were ${erasedPhrase}`, {
    erasedAt: erasure.at.toISOString(),
    erasedBy: erasure.by.name,
  })
}
