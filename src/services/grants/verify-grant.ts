import type { Selectable } from 'kysely'
import { verifyStatement } from '#domain/statements/statement-bytes.ts'
import type { GrantStatement } from '#domain/statements/statement.ts'
import type { StatementTrust } from '#domain/statements/vouching.ts'
import type { ApprovalGrantTable } from '#store/tables/decisions.ts'

/** A call that a grant may cover. `path` is the one file it touches, when it touches one. */
export interface GrantedCall {
  readonly tool: string
  readonly digest: string
  readonly toolHash: string
  readonly path: string | null
}

/**
 * The grant's statement when its signature holds, the row says the same in every field, and it
 * covers this call of this root run (product.md 10); `null` otherwise, and once it was revoked.
 * Who gave it and what is left of it are the caller's to check.
 */
export function verifyGrant(
  { verifier, seals }: StatementTrust,
  row: Selectable<ApprovalGrantTable>,
  expected: { readonly rootRunId: string; readonly call: GrantedCall },
): GrantStatement | null {
  if (row.revoked_at !== null || seals.revocations.has({ what: 'grant', id: row.id })) return null
  const statement = verifyStatement<GrantStatement>(verifier, 'grant', {
    statement: row.statement,
    signature: row.signature,
    keyId: row.key_id,
  })
  if (statement === null || statement.version !== 1) return null
  const same =
    statement.grantId === row.id &&
    statement.rootRunId === row.root_run_id &&
    statement.tool === row.tool &&
    statement.scope === row.scope &&
    statement.digest === row.digest &&
    statement.path === row.path &&
    statement.grantedBy === row.granted_by &&
    statement.requestId === row.request_id &&
    statement.queue === row.queue &&
    statement.uses === row.uses_allowed &&
    statement.expiresAt === (row.expires_at?.toISOString() ?? null)
  if (!same || statement.rootRunId !== expected.rootRunId) return null
  return covers(statement, expected.call) ? statement : null
}

/**
 * Same tool, same definition, and the same canonical arguments or the same file. `once` covers
 * nothing.
 */
function covers(statement: GrantStatement, call: GrantedCall): boolean {
  if (statement.tool !== call.tool || statement.toolHash !== call.toolHash) return false
  if (statement.scope === 'run') return statement.digest === call.digest
  if (statement.scope === 'command') {
    return statement.command !== undefined && statement.digest === call.digest
  }
  if (statement.scope === 'path') return statement.path !== null && statement.path === call.path
  return false
}
