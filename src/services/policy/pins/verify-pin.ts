import type { Selectable } from 'kysely'
import type { PinStatement } from '#domain/statements/statement.ts'
import {
  signedStatementOf,
  verifyStatement,
  type Verifier,
} from '#domain/statements/statement-bytes.ts'
import type { McpPinTable } from '#store/tables/policy.ts'

/** The signed part of a pin's row. */
export type PinRow = Pick<
  Selectable<McpPinTable>,
  | 'activation'
  | 'worker'
  | 'server'
  | 'server_hash'
  | 'definitions_hash'
  | 'statement'
  | 'signature'
  | 'key_id'
>

/**
 * The signed statement, when the signature holds and the row agrees; `null` for a row that somebody
 * inserted or changed by SQL.
 */
export function verifyPin(verifier: Verifier, row: PinRow): PinStatement | null {
  const statement = verifyStatement<PinStatement>(verifier, 'pin', signedStatementOf(row))
  if (statement === null || statement.version !== 1) return null
  const says =
    statement.activation === row.activation &&
    statement.worker === row.worker &&
    statement.server === row.server &&
    statement.serverHash === row.server_hash &&
    statement.definitionsHash === row.definitions_hash
  return says ? statement : null
}
