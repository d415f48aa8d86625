import type { Revocations } from './row-seals.ts'
import type { Verifier } from './statement-bytes.ts'

/** The keys that verify signed statements, and what has ended for good. */
export interface StatementTrust {
  readonly verifier: Verifier
  readonly seals: { readonly revocations: Pick<Revocations, 'has'> }
}
