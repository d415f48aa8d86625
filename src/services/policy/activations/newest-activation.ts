import { sql } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { ActivationStatement } from '#domain/statements/statement.ts'
import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { Db, Tx } from '#store/database.ts'
import { verifyActivation, type ActivationRow } from './verify-activation.ts'

export interface NewestActivation {
  /** with the highest sequence of those whose signature holds */
  readonly statement: ActivationStatement | null
  /** hash of its signed text; `null` without one */
  readonly hash: string | null
  /** sequences of rows above it without a valid signature */
  readonly forged: readonly number[]
  /**
   * the newest sequence in the trail; it is higher than that of the statement if that row was
   * changed or removed
   */
  readonly audited: number
}

/** With more forged rows than this above the newest valid one, nothing is in force. */
const maxForged = 200

/**
 * Finds the newest activation with a valid signature, ignoring rows that were inserted or changed
 * by SQL. It runs for every call, so it reads the newest row alone, and others only if that one is
 * forged: an installation may have hundreds.
 */
export async function newestActivation(db: Db | Tx, verifier: Verifier): Promise<NewestActivation> {
  const newest = await newestOf(db, verifier, 1)
  return newest.forged.length === 0 ? newest : newestOf(db, verifier, maxForged)
}

/** The limit is a literal: Postgres plans a statement with a limit as parameter each time. */
async function newestOf(
  db: Db | Tx,
  verifier: Verifier,
  maxRows: number,
): Promise<NewestActivation> {
  const { rows } = await sql<Partial<ActivationRow> & { audited: string | null }>`
    select activation.*, trail.sequence as audited
    from (select (
      select ${eventDocument} -> 'detail' ->> 'sequence' from audit_event
      where type = 'policy.activated' order by at desc, id desc limit 1
    ) as sequence) as trail
    left join lateral (
      select sequence, digest, statement, signature, key_id
      from policy_activation order by sequence desc limit ${sql.lit(maxRows)}
    ) as activation on true
  `.execute(db)
  const forged: number[] = []
  let statement: ActivationStatement | null = null
  let hash: string | null = null
  for (const row of rows) {
    if (!isActivation(row)) continue
    statement = verifyActivation(verifier, row)
    if (statement !== null) {
      hash = hashBytes(row.statement)
      break
    }
    forged.push(row.sequence)
  }
  return { statement, hash, forged, audited: auditedSequence(rows[0]?.audited ?? null) }
}

function isActivation(row: Partial<ActivationRow>): row is ActivationRow {
  return typeof row.sequence === 'number'
}

/** Of the document's JSON text; `null` for none, and for an event of any other text. */
function auditedSequence(sequence: string | null): number {
  return sequence !== null && /^[0-9]{1,9}$/.test(sequence) ? Number(sequence) : 0
}
