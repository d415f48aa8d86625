import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { DecisionStatement } from '#domain/deciding/decision-signature.ts'
import { canonicalJson, hashBytes } from '#domain/json/digest.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { DecisionInput } from '../../requests/facts/decision-input.ts'
import { saltedDocument } from '../../requests/words/salted-text.ts'

/** The content of a statement, without its time and nonce. */
export type SignedFacts = Omit<DecisionStatement, 'issuedAt' | 'nonce'>

/** A decision's statement, as it is signed. `salt`: for the commitment to the reason. */
export function factsToSign(
  request: Selectable<RequestTable>,
  decision: DecisionInput,
  signer: { readonly personId: string; readonly origin: string; readonly salt: string | null },
): SignedFacts {
  const { reason } = decision
  const { salt } = signer
  return {
    version: 1,
    origin: signer.origin,
    requestId: request.id,
    revision: decision.revision,
    digest: decision.digest,
    policyDigest: request.policy_digest,
    decision: decision.decision,
    ...effectToSign(decision),
    reasonHash: reason === null || salt === null ? null : hashBytes(saltedDocument(reason, salt)),
    personId: signer.personId,
  }
}

/**
 * What the decision does besides deciding this call once. What is usual is absent: statements of
 * earlier versions say no more.
 */
function effectToSign(
  decision: DecisionInput,
): Pick<DecisionStatement, 'scope' | 'grant' | 'then'> {
  if (decision.decision === 'deny') {
    return decision.then === 'continue' ? {} : { then: decision.then }
  }
  const { bounds, scope } = decision
  if (scope === 'once') return {}
  return bounds === null ? { scope } : { scope, grant: bounds }
}

/** The statement's exact bytes: canonical JSON, with a nonce of its own. */
export function issueStatement(facts: SignedFacts, now: Date): string {
  const nonce = randomBytes(32).toString('base64url')
  return canonicalJson({ ...facts, issuedAt: now.toISOString(), nonce } satisfies DecisionStatement)
}

/** Whether a statement of this installation states exactly these facts. */
export function statesFacts(statement: string, facts: SignedFacts): boolean {
  const { issuedAt, nonce } = JSON.parse(statement) as DecisionStatement
  return statement === canonicalJson({ ...facts, issuedAt, nonce })
}
