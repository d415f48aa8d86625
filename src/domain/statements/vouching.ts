import type { Revocations } from './row-seals.ts'
import type { Verifier } from './statement-bytes.ts'

/** By what signed statements are believed, and what was ended for good. */
export interface StatementTrust {
  readonly verifier: Verifier
  readonly seals: { readonly revocations: Pick<Revocations, 'has'> }
}
