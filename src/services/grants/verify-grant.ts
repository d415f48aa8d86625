import type { Selectable } from 'kysely'
import { signedStatementOf, verifyStatement } from '#domain/statements/statement-bytes.ts'
import type { GrantStatement } from '#domain/statements/statement.ts'
import type { StatementTrust } from '#domain/statements/statement-trust.ts'
import type { ApprovalGrantTable } from '#store/tables/decisions.ts'

/** A call that a grant may cover. `path` is the single file that it touches, if there is one. */
export interface GrantedCall {
  readonly tool: string
  readonly digest: string
  readonly toolHash: string
  readonly path: string | null
}

/**
 * The grant's statement when its signature holds, the row agrees in every field, and it covers this
 * call of this root run (product.md 10); `null` otherwise, or after a revocation. The caller checks
 * the giver and the bounds.
 */
export function verifyGrant(
  { verifier, seals }: StatementTrust,
  row: Selectable<ApprovalGrantTable>,
  expected: { readonly rootRunId: string; readonly call: GrantedCall },
): GrantStatement | null {
  if (row.revoked_at !== null || seals.revocations.has({ what: 'grant', id: row.id })) return null
  const statement = verifyStatement<GrantStatement>(verifier, 'grant', signedStatementOf(row))
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
 * Whether tool and definition are the same, and so are the canonical arguments or the file. `once`
 * covers nothing.
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
