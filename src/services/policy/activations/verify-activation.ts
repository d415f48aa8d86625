import type { Selectable } from 'kysely'
import type { ActivationStatement } from '#domain/statements/statement.ts'
import {
  signedStatementOf,
  verifyStatement,
  type Verifier,
} from '#domain/statements/statement-bytes.ts'
import type { PolicyActivationTable } from '#store/tables/policy.ts'

/** The signed part of an activation's row. */
export type ActivationRow = Pick<
  Selectable<PolicyActivationTable>,
  'sequence' | 'digest' | 'statement' | 'signature' | 'key_id'
>

/**
 * The signed statement, when the signature holds and the row agrees; `null` for a row that somebody
 * inserted or changed by SQL.
 */
export function verifyActivation(
  verifier: Verifier,
  row: ActivationRow,
): ActivationStatement | null {
  const statement = verifyStatement<ActivationStatement>(
    verifier,
    'activation',
    signedStatementOf(row),
  )
  if (statement === null || statement.version !== 1) return null
  return statement.sequence === row.sequence && statement.policyDigest === row.digest
    ? statement
    : null
}
