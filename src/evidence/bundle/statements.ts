import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { SignedStatement, StatementKind } from '#domain/statements/statement.ts'

export interface StoredStatement extends SignedStatement {
  readonly kind: StatementKind
}

/** The signed statements of runs, permits, grants and activations, and their keys. */
export interface Statements {
  readonly stored: readonly StoredStatement[]
  /** `null`: the keys are missing, or no valid signature covers them */
  readonly verifier: Verifier | null
}
