import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { SignedStatement, StatementKind } from '#domain/statements/statement.ts'

/** A signed statement, and of what kind it says it is. */
export interface StoredStatement extends SignedStatement {
  readonly kind: StatementKind
}

/** What was signed of runs, permits, grants and activations, and the keys that signed it. */
export interface Statements {
  readonly stored: readonly StoredStatement[]
  /** `null`: the keys are not there, or nothing vouches for them */
  readonly verifier: Verifier | null
}
