import { sql } from 'kysely'
import type { JsonObject } from '../../../domain/json.ts'
import { getTextsLeft } from '../../../store/content/content.ts'
import { readErased } from '../../../store/content/erased-content.ts'
import type { Db, Tx } from '../../../store/database.ts'
import { saltedText } from '../../decisions/salted-text.ts'
import { erasedText } from '../../erasure/erased-words.ts'
import type { ProgramClaim } from '../../external/external-input.ts'
import type { ExternalItemRecord, ExternalRecord, NamedRef } from './external-record.ts'

interface Row {
  readonly claim_hash: string | null
  readonly metadata: JsonObject | null
  readonly permit_expires_at: Date | null
  readonly consumed_at: Date | null
  readonly consumed_by: NamedRef | null
  readonly outcome: NonNullable<ExternalRecord['outcome']>['state'] | null
  readonly outcome_summary_hash: string | null
  readonly outcome_at: Date | null
}

/** The rest of what the page of a program's request shows; `null` for other requests. Two queries. */
export async function readExternal(
  db: Db | Tx,
  requestId: string,
  item: ExternalItemRecord | null,
): Promise<ExternalRecord | null> {
  if (item === null) return null
  const { rows } = await sql<Row>`
    select e.claim_hash, e.metadata, e.consumed_at, e.outcome, e.outcome_summary_hash, e.outcome_at,
      (select json_build_object('id', k.id, 'name', k.name) from api_key k where k.id = e.consumed_by) as consumed_by,
      (select permit.expires_at from permit where permit.request_id = e.request_id
        order by permit.revision desc limit 1) as permit_expires_at
    from external_request e where e.request_id = ${requestId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error(`Request ${requestId} was opened by no program`)
  const hashes = [row.claim_hash, row.outcome_summary_hash].flatMap((hash) => hash ?? [])
  const texts = await getTextsLeft(db, hashes)
  const claim = texts.get(row.claim_hash ?? '')
  return {
    ...item,
    claim: claim === undefined ? null : (JSON.parse(claim) as ProgramClaim),
    metadata: row.metadata,
    permitExpiresAt: row.permit_expires_at,
    consumed:
      row.consumed_at === null || row.consumed_by === null
        ? null
        : { at: row.consumed_at, by: row.consumed_by },
    outcome:
      row.outcome === null || row.outcome_at === null
        ? null
        : {
            state: row.outcome,
            summary: await summaryOf(db, row.outcome_summary_hash, texts),
            at: row.outcome_at,
          },
  }
}

/** The program's own words, or that and when they were erased. */
async function summaryOf(
  db: Db,
  hash: string | null,
  texts: ReadonlyMap<string, string>,
): Promise<string | null> {
  if (hash === null) return null
  const text = texts.get(hash)
  return text === undefined
    ? erasedText((await readErased(db, [hash])).get(hash))
    : saltedText(text)
}
