import { sql, type Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import { readErased } from '#store/content/erased-content.ts'
import type { Db } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { ExternalRequestTable } from '#store/tables/requests.ts'
import type { ServiceContext } from '../../core/context.ts'
import { saltedText } from '../words/salted-text.ts'
import { erasedText } from '../words/erased-words.ts'
import type { ProgramClaim } from '../facts/external-input.ts'
import type { ReportedOrigin } from '../facts/origin.ts'
import type { ExternalItemRecord, ExternalRecord, NamedRef } from '../facts/request-record.ts'

interface Row {
  readonly claim_hash: string | null
  readonly metadata: JsonObject | null
  readonly row: JsonRow
  readonly permit_expires_at: Date | null
  readonly consumed_at: Date | null
  readonly consumed_by: NamedRef | null
  readonly outcome: NonNullable<ExternalRecord['outcome']>['state'] | null
  readonly outcome_summary_hash: string | null
  readonly outcome_at: Date | null
}

/** The facts of a program's request page; `null` for other requests. Two queries. */
export async function readProgramFacts(
  { db, seals }: Pick<ServiceContext, 'db' | 'seals'>,
  requestId: string,
  item: ExternalItemRecord | null,
): Promise<ExternalRecord | null> {
  if (item === null) return null
  const { rows } = await sql<Row>`
    select to_jsonb(e) as row, e.claim_hash, e.metadata, e.consumed_at, e.outcome, e.outcome_summary_hash, e.outcome_at,
      (select json_build_object('id', k.id, 'name', k.name) from api_key k where k.id = e.consumed_by) as consumed_by,
      (select permit.expires_at from permit where permit.request_id = e.request_id
        order by permit.revision desc limit 1) as permit_expires_at
    from external_request e where e.request_id = ${requestId}
  `.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error(`Request ${requestId} was opened by no program`)
  const external = fromJsonRow<Selectable<ExternalRequestTable>>(row.row)
  const hashes = [row.claim_hash, row.outcome_summary_hash, external.origin_hash].flatMap(
    (hash) => hash ?? [],
  )
  const texts = await getRemainingTexts(db, hashes)
  const claim = texts.get(row.claim_hash ?? '')
  return {
    ...item,
    claim: claim === undefined ? null : (JSON.parse(claim) as ProgramClaim),
    metadata: row.metadata,
    origin: originOf(texts.get(external.origin_hash ?? ''), {
      // A proof in a row without a valid seal does not count.
      proved: external.origin_proved === true && seals.holds('external_request', external),
    }),
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

function originOf(
  text: string | undefined,
  { proved }: { readonly proved: boolean },
): ExternalRecord['origin'] {
  return text === undefined ? null : { ...(JSON.parse(text) as ReportedOrigin), proved }
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
