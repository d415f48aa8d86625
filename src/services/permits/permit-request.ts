import type { Selectable } from 'kysely'
import type { CountedVote } from '#domain/deciding/decision-basis.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { SigningContext } from '../core/context.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { DecisionFacts } from '../requests/facts/decision-facts.ts'
import { aboutRequest } from '../requests/ending/end-request.ts'
import { signPermit } from './permits.ts'

/**
 * Issues the permit for the current revision of a request, for one attempt, and records it in the
 * trail. The caller holds the locks of run and request, and has judged that these people decided
 * it.
 */
export async function permitRequest(
  ctx: SigningContext,
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  input: { readonly countedVotes: readonly CountedVote[]; readonly attempt: number },
): Promise<PermitStatement> {
  const { statement: permit, row } = signPermit(ctx.signer, {
    requestId: request.id,
    revision: request.revision,
    runId: request.run_id,
    // A call has one live permit; an attachment's permit names its call in the digest. A start has
    // no call.
    callId: request.kind === 'attachment' ? null : request.call_id,
    digest: facts.revision.digest,
    factsDigest: hashJson(facts.revision.facts),
    deciders: input.countedVotes.map(({ personId }) => personId),
    policyDigest: request.policy_digest,
    attempt: input.attempt,
    epoch: facts.epoch,
    now: facts.now,
    permitForMs: request.routing.permitForMs,
  })
  unit.addDecided({ permits: [row] })
  await unit.audit({
    type: 'permit.issued',
    ...aboutRequest(request),
    digest: permit.digest,
    policyDigest: permit.policyDigest,
    detail: {
      permitId: permit.permitId,
      attempt: permit.attempt,
      expiresAt: permit.expiresAt,
      revision: permit.revision,
      factsDigest: permit.factsDigest,
      counted: input.countedVotes.map(({ personId, team }) => ({ personId, team })),
    },
  })
  return permit
}
