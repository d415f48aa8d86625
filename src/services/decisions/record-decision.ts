import type { Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { DecisionBasis } from '#domain/deciding/decision-basis.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import type { QuorumPlace } from '#domain/requests/request.ts'
import { putContent } from '#store/content/content.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller } from '../core/context.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { DecisionFacts } from '../requests/facts/decision-facts.ts'
import type { DecisionInput } from '../requests/facts/decision-input.ts'
import { aboutRequest } from '../requests/ending/end-request.ts'
import type { EligiblePerson } from './judge-decision.ts'
import { newSalt, saltedDocument } from '../requests/words/salted-text.ts'
import type { JudgedSignature } from './signing/judge-signature.ts'
import { signatureMark } from '../requests/facts/needs-signature.ts'

/** The person who decides, with what their decision was judged by. */
type Voter = EligiblePerson & {
  readonly batchDecisionId: string | null
  readonly facts: DecisionFacts
  readonly signed: JudgedSignature | null
}

/** Writes one person's decision of the current revision and its event. Returns its id. */
export async function recordDecision(
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
  input: DecisionInput,
  voter: Voter,
): Promise<string> {
  const id = newId()
  const { signed: signature } = voter
  const reasonHash = await putReason(unit, input.reason, signature)
  const { bounds, scope, then } = reachIn(input)
  const row = {
    id,
    request_id: request.id,
    revision: request.revision,
    person_id: voter.person.id,
    decision: input.decision,
    digest: input.digest,
    scope,
    denied_then: then,
    grant_bounds: bounds,
    self_approved: voter.selfApproved,
    edited: voter.edited,
    batch_decision_id: voter.batchDecisionId,
    credential_id: signature?.signature.credentialId ?? null,
  }
  const decision = {
    ...row,
    reason_hash: reasonHash,
    channel: caller.channel,
    at: voter.facts.now,
    seal: unit.seals.of('decision', row),
  }
  unit.addDecided({ decisions: [decision] })
  await unit.audit({
    type: 'decision.recorded',
    actor: caller.actor,
    channel: caller.channel,
    ...aboutRequest(request),
    digest: input.digest,
    policyDigest: request.policy_digest,
    detail: { decisionId: id, ...detailOf(request, input, voter), reason: reasonHash },
  })
  return id
}

/** How far an approval goes, and what follows a denial; each `null` where it does not apply. */
function reachIn(input: DecisionInput) {
  return {
    scope: input.decision === 'approve' ? input.scope : null,
    bounds: input.decision === 'approve' ? input.bounds : null,
    then: input.decision === 'deny' ? input.then : null,
  }
}

/** What the event of a decision says about it, without the ids of what was stored. */
function detailOf(
  request: Selectable<RequestTable>,
  input: DecisionInput,
  voter: Voter,
): JsonObject {
  const { bounds, scope, then } = reachIn(input)
  return {
    decision: input.decision,
    ...(request.kind === 'tool_call' ? {} : { kind: request.kind }),
    revision: request.revision,
    scope,
    // Present for every wider scope, even as null: events of earlier versions lack it, and if the
    // signed statement has no scope either, the verifier does not compare them.
    ...(scope === null || scope === 'once'
      ? {}
      : { grant: bounds === null ? null : { ...bounds } }),
    then,
    seen: input.seen,
    selfApproved: voter.selfApproved,
    edited: voter.edited,
    batchDecisionId: voter.batchDecisionId,
    // Recorded where it was required: how often the call had been carried out by then.
    ...(input.decision === 'approve' && input.again ? { again: voter.facts.again } : {}),
    basis: basisOf(request, voter),
    ...(voter.signed === null ? {} : { signature: { ...voter.signed.signature } }),
  }
}

/** The statement of a signature commits to the reason, so its salt is used again. */
async function putReason(
  unit: UnitOfWork,
  reason: string | null,
  signature: JudgedSignature | null,
): Promise<string | null> {
  if (reason === null) return null
  return putContent(unit.tx, saltedDocument(reason, signature?.salt ?? newSalt()))
}

/**
 * The basis on which the decision was judged, a {@link DecisionBasis}, so that a verifier can judge
 * it again offline.
 */
function basisOf(
  request: Selectable<RequestTable>,
  { person, facts }: EligiblePerson & { readonly facts: DecisionFacts },
) {
  const { routing, expires_at: expiresAt } = request
  const teams = quorumTeams(routing.quorum)
  return {
    quorum: { any: routing.quorum.any.map((places) => places.map(plainPlace)) },
    selfApproval: routing.selfApproval,
    principals: [...new Set(facts.principals.map(({ personId }) => personId))].toSorted(),
    expiresAt: expiresAt.toISOString(),
    judgedAt: facts.now.toISOString(),
    teams: person.teams.filter((team) => teams.includes(team)).toSorted(),
    ...(person.otherIds.length === 0 ? {} : { otherIds: person.otherIds.toSorted() }),
    ...signatureMark(request),
  } satisfies DecisionBasis
}

function plainPlace({ also, ...place }: QuorumPlace) {
  return also === undefined ? place : { ...place, also: [...also] }
}
