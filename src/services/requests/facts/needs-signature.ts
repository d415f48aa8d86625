import type { Routing } from '#domain/deciding/judgement.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import type { Risk } from '#domain/policy/verdict.ts'

/**
 * What tells whether a request's approval is signed; frozen when it was opened, like the quorum.
 */
interface SignableRequest {
  readonly kind: RequestKind
  readonly risk: Risk
  readonly routing: Pick<Routing, 'signature'>
}

/**
 * Whether an approval carries a passkey's signature: high risk, where the queue requires one
 * (audit.md, Approver's signature). A denial needs none: it makes nothing run, and denying many is
 * always allowed (dashboard.md). Questions are answered and outcome checks are settled, which
 * approves no call.
 */
export function needsSignature({ kind, risk, routing }: SignableRequest): boolean {
  const isApproved = kind !== 'question' && kind !== 'outcome_check'
  return isApproved && risk === 'high' && routing.signature === 'required'
}

/** What the events of such a request say of it; nothing of the others. */
export function signatureMark(request: SignableRequest): { readonly signature?: 'required' } {
  return needsSignature(request) ? { signature: 'required' } : {}
}
