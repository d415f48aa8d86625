import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import type { Case } from './request-case.ts'

/** The decisions of an approved request, its permit, and its execution. */
export function approvalRows(of: Case): Record<string, object[]> {
  const { year, at, later, id, ids, deciders, digest } = of
  const signedPermit = signStatement(year.signer, 'permit', permitOf(of))
  return {
    decision: deciders.map((decider, nth) => ({
      id: id('decision', nth),
      request_id: ids.request_id,
      revision: 1,
      person_id: decider.id,
      decision: 'approve',
      digest,
      self_approved: false,
      edited: false,
      channel: 'dashboard',
      at,
    })),
    permit: [
      {
        ...ids,
        id: id('permit'),
        revision: 1,
        attempt: 1,
        state: 'consumed',
        statement: signedPermit.statement,
        signature: signedPermit.signature,
        key_id: signedPermit.keyId,
        epoch: 1,
        issued_at: at,
        expires_at: later,
        ended_at: at,
      },
    ],
    execution: [
      {
        call_id: ids.call_id,
        attempt: 1,
        state: 'succeeded',
        request_id: ids.request_id,
        permit_id: id('permit'),
        executed_digest: digest,
        epoch: 1,
        started_at: at,
        finished_at: at,
      },
    ],
  }
}

function permitOf({
  year,
  at,
  later,
  id,
  ids,
  deciders,
  digest,
  factsDigest,
}: Case): PermitStatement {
  return {
    version: 1,
    permitId: id('permit'),
    requestId: ids.request_id,
    revision: 1,
    runId: ids.run_id,
    callId: ids.call_id,
    digest,
    factsDigest,
    decision: 'approve',
    deciders: deciders.map((decider) => decider.id),
    policyDigest: year.policyDigest,
    issuedAt: at.toISOString(),
    expiresAt: later.toISOString(),
    nonce: id('permit'),
    attempt: 1,
    epoch: 1,
  }
}
