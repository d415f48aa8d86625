import type { Routing } from '#domain/deciding/judgement.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import type { Risk } from '#domain/policy/verdict.ts'

/** What decides whether an approval needs a signature; frozen like the quorum. */
interface SignableRequest {
  readonly kind: RequestKind
  readonly risk: Risk
  readonly routing: Pick<Routing, 'signature'>
}

/**
 * Whether an approval needs a passkey's signature: at high risk, where the queue requires one
 * (audit.md, Approver's signature). A denial needs none, because it makes nothing run, and many
 * requests can always be denied at once (dashboard.md). Neither do answers to questions and outcome
 * checks, which approve no call.
 */
export function needsSignature({ kind, risk, routing }: SignableRequest): boolean {
  const isApproved = kind !== 'question' && kind !== 'outcome_check'
  return isApproved && risk === 'high' && routing.signature === 'required'
}

/** Members that only the events of such a request have. */
export function signatureMark(request: SignableRequest): { readonly signature?: 'required' } {
  return needsSignature(request) ? { signature: 'required' } : {}
}
