import type { Insertable, Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { randomBytes } from 'node:crypto'
import {
  signStatement,
  signedStatementOf,
  verifyStatement,
  withRetired,
} from '#domain/statements/statement-bytes.ts'
import type { Signer } from '#domain/statements/statement-bytes.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import type { StatementTrust } from '#domain/statements/statement-trust.ts'
import type { Tx } from '#store/database.ts'
import type { PermitTable } from '#store/tables/decisions.ts'

/** The subject of a permit. `now` is the database's clock in this transaction. */
export interface PermitIssue extends Omit<
  PermitStatement,
  'version' | 'permitId' | 'decision' | 'issuedAt' | 'expiresAt' | 'nonce'
> {
  readonly now: Date
  readonly permitForMs: number
}

/** A permit and its row, which the decision's transaction stores. */
export interface SignedPermit {
  readonly statement: PermitStatement
  readonly row: Insertable<PermitTable>
}

/**
 * Signs and stores the single-use right to execute one approved call, in the decision's transaction
 * (security.md 13).
 */
export async function issuePermit(
  tx: Tx,
  signer: Signer,
  issue: PermitIssue,
): Promise<PermitStatement> {
  const { statement, row } = signPermit(signer, issue)
  await tx.insertInto('permit').values(row).execute()
  return statement
}

/** Signs a permit; the caller stores its row. */
export function signPermit(signer: Signer, issue: PermitIssue): SignedPermit {
  const expiresAt = new Date(issue.now.getTime() + issue.permitForMs)
  const statement: PermitStatement = {
    version: 1,
    permitId: newId(),
    requestId: issue.requestId,
    revision: issue.revision,
    runId: issue.runId,
    callId: issue.callId,
    digest: issue.digest,
    factsDigest: issue.factsDigest,
    decision: 'approve',
    deciders: issue.deciders,
    policyDigest: issue.policyDigest,
    issuedAt: issue.now.toISOString(),
    expiresAt: expiresAt.toISOString(),
    nonce: randomBytes(16).toString('base64url'),
    attempt: issue.attempt,
    epoch: issue.epoch,
  }
  const signedPermit = signStatement(signer, 'permit', statement)
  const row = {
    id: statement.permitId,
    request_id: statement.requestId,
    revision: statement.revision,
    attempt: statement.attempt,
    run_id: statement.runId,
    call_id: statement.callId,
    statement: signedPermit.statement,
    signature: signedPermit.signature,
    key_id: signedPermit.keyId,
    epoch: statement.epoch,
    issued_at: issue.now,
    expires_at: expiresAt,
  }
  return { statement, row }
}

/** What the executor is about to do, by its own computation and the locked request. */
export interface PermitExpectation extends Pick<PermitStatement, (typeof comparedFields)[number]> {
  /** the database's clock */
  readonly now: Date
  /**
   * policy alone allowed a program's request, so that the permit names nobody; absent: it names its
   * deciders
   */
  readonly byPolicy?: boolean
}

export type PermitVerdict =
  | { readonly ok: true; readonly statement: PermitStatement }
  | {
      readonly ok: false
      readonly reason: 'invalid_permit' | 'lapsed' | 'revoked'
      /** the comparison that failed, for the trail; never an argument's value */
      readonly detail: string
    }

/**
 * Whether a permit allows exactly what is expected, now. It trusts the signature only: every field
 * of the statement is compared, and the row with the statement, so that nothing inserted or changed
 * by SQL passes (security.md 13). A revoked permit stays so, whatever its row says (29).
 */
export function verifyPermit(
  { verifier, seals }: StatementTrust,
  row: Selectable<PermitTable>,
  expected: PermitExpectation,
): PermitVerdict {
  const signedPermit = signedStatementOf(row)
  const statement = verifyStatement<PermitStatement>(verifier, 'permit', signedPermit)
  if (statement === null) {
    // Another person may have made it: people are asked again, and see what it would allow.
    const isRetired = verifier.retired?.has(row.key_id) === true
    const isGenuine =
      isRetired && verifyStatement(withRetired(verifier), 'permit', signedPermit) !== null
    if (!isGenuine) return invalid('signature')
    const reason = row.state === 'revoked' ? 'revoked' : 'lapsed'
    return { ok: false, reason, detail: 'key retired' }
  }
  if (statement.version !== 1) return invalid('version')
  if (statement.decision !== 'approve') return invalid('decision')
  if ((statement.deciders.length === 0) !== (expected.byPolicy === true)) return invalid('deciders')
  if (statement.permitId !== row.id) return invalid('permitId')
  for (const field of comparedFields) {
    if (statement[field] !== expected[field]) return invalid(field)
  }
  const expiresAt = Date.parse(statement.expiresAt)
  if (row.expires_at.getTime() !== expiresAt) return invalid('expiresAt')
  const isRevoked = seals.revocations.has({ what: 'permit', id: row.id })
  if (row.state === 'revoked' || isRevoked) {
    return { ok: false, reason: 'revoked', detail: 'state' }
  }
  if (row.state === 'consumed') return invalid('state')
  if (row.state === 'lapsed' || !(expected.now.getTime() < expiresAt)) {
    return { ok: false, reason: 'lapsed', detail: 'expiresAt' }
  }
  return { ok: true, statement }
}

const comparedFields = [
  'requestId',
  'revision',
  'runId',
  'callId',
  'digest',
  'factsDigest',
  'policyDigest',
  'attempt',
  'epoch',
] as const

function invalid(detail: string): PermitVerdict {
  return { ok: false, reason: 'invalid_permit', detail }
}
