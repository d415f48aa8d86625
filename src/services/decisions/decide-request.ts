import type { Selectable } from 'kysely'
import type { Json } from '#domain/json.ts'
import type { Problem } from '#domain/problem.ts'
import type { RequestState } from '#domain/request.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { cancelRequests } from '../requests/ending/cancel-requests.ts'
import { commonReach, giveGrant } from '../grants/give-grant.ts'
import type { RequestLocation } from '../requests/people/find-request.ts'
import { wakeWaiting } from '../requests/ending/wake-waiting.ts'
import type { QuorumRecord } from '../requests/facts/request-record.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import {
  readDecisionFacts,
  type DecisionFacts,
  type CountedVote,
} from '../requests/facts/decision-facts.ts'
import {
  parseDecision,
  type Approval,
  type DecisionInput,
} from '../requests/facts/decision-input.ts'
import { endRequest } from '../requests/ending/end-request.ts'
import { expireLocked } from '../requests/ending/expire-locked.ts'
import { onceForKey } from '../core/idempotency.ts'
import { judgeDecision, type DecisionMarks } from './judge-decision.ts'
import { permitRequest } from '../permits/permit-request.ts'
import { recordDecision } from './record-decision.ts'
import { expiredProblem } from '../requests/ending/refuse-ended.ts'
import { lockWithSiblings } from '../requests/ending/lock-with-siblings.ts'
import { judgeSignature } from './signing/judge-signature.ts'
import { tallyVotes } from '../requests/facts/tally-votes.ts'
import { byAttempt } from '../core/authority.ts'

export interface DecideRequestInput {
  /** id or number */
  readonly request: string
  /** the decision as it came: judged here, field by field, on every channel */
  readonly body: Json
  readonly idempotencyKey?: string
  readonly batchDecisionId?: string
  /**
   * approving needs `seen` at every risk: of one action on several, nobody knows what was on the
   * screen (product.md 39)
   */
  readonly seenAtAnyRisk?: true
  /**
   * a refusal because of the other decisions of its batch; a repeated call gets its first answer
   */
  readonly batchRefusal?: Problem | null
  /**
   * of the session that decides, which alone can answer its own challenges; absent of a decision
   * that is not signed
   */
  readonly sessionHash?: string | null
}

/**
 * What a decision is answered with (api.md). `state` stays `pending` while the quorum is not met.
 */
export interface DecisionAnswer {
  readonly requestId: string
  readonly decisionId: string
  readonly state: RequestState
  readonly stage: 'recorded'
  readonly quorum: QuorumRecord
  readonly execution: { readonly state: 'not_started' }
}

/**
 * Decides one revision of one request: the one function for every channel (security.md 12).
 * Authorisation, separation of duties, digest, quorum and state are judged in the transaction, with
 * the run and the request locked, that also writes the decision, its permit or denial, a grant, the
 * trail, the stream and the signal. When it returns, the decision is durable. Rejects with the
 * codes of api.md, in that order; refused attempts are recorded.
 *
 * @example await decideRequest(ctx, caller, { request: '142', body: { decision: 'approve', digest,
 * revision: 1 } })
 */
export async function decideRequest(
  ctx: SigningContext,
  caller: Caller,
  input: DecideRequestInput,
): Promise<DecisionAnswer> {
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'decide' }, (target) =>
    inUnitOfWork(ctx, byAttempt(caller), async (unit) => {
      const call = { caller, key: input.idempotencyKey, route: `decide:${target.id}` }
      return onceForKey(unit.tx, { ...call, body: input.body }, async () => {
        if (input.batchRefusal != null) return input.batchRefusal
        const decision = parseDecision(input.body)
        return decideLocked(ctx, unit, {
          caller,
          target: target,
          decision,
          batchDecisionId: input.batchDecisionId ?? null,
          seenAtAnyRisk: input.seenAtAnyRisk ?? false,
          sessionHash: input.sessionHash ?? null,
        })
      })
    }),
  )
}

async function decideLocked(
  ctx: SigningContext,
  attempt: UnitOfWork,
  input: {
    readonly caller: Caller
    readonly target: RequestLocation
    readonly decision: DecisionInput
    readonly batchDecisionId: string | null
    readonly seenAtAnyRisk: boolean
    readonly sessionHash: string | null
  },
): Promise<DecisionAnswer | Problem> {
  const { caller, decision } = input
  const stop = decision.decision === 'deny' && decision.then === 'stop'
  const reach = stop ? 'turn' : decision.decision === 'deny' ? 'delegation' : 'request'
  const { request, later, delegationRequests } = await lockWithSiblings(
    attempt.tx,
    input.target,
    reach,
  )
  const personId = caller.actor.type === 'person' ? caller.actor.id : null
  const facts = await readDecisionFacts(attempt, request.id, personId)
  const marks = await judgeDecision(attempt.tx, request, facts, decision, input)
  if (marks === 'lapsed') {
    await expireLocked(attempt, request)
    return expiredProblem(request)
  }
  const unit = attempt.under(marks.authority)
  const signer = { personId: marks.person.id, sessionHash: input.sessionHash }
  const signed = await judgeSignature(unit, request, decision, signer)
  const voteCount =
    decision.decision === 'deny' ? null : countVotes(request, facts, decision, marks)
  // Nothing refuses it any more: its workflow is told while it is written down.
  if (voteCount?.counted.met === true) announceTo(unit, request, facts)
  const decisionId = await recordDecision(unit, caller, request, decision, {
    ...marks,
    batchDecisionId: input.batchDecisionId,
    facts,
    signed,
  })
  const wake = [request.id]
  let state: RequestState = 'pending'
  if (decision.decision === 'deny') {
    await endRequest(unit, request, { event: 'deny', then: decision.then })
    // Denying one part of a delegation aborts it (product.md 23).
    await cancelRequests(unit, delegationRequests, 'delegation_denied')
    wake.push(...delegationRequests.map(({ id }) => id))
    // Later calls of the turn are locked for `stop` alone, which ends them (product.md 8).
    await cancelRequests(unit, later, 'sibling_denied', { denied: request.id })
    wake.push(...later.map(({ id }) => id))
    state = 'denied'
  } else if (voteCount?.counted.met === true) {
    await approveRequest(ctx, unit, request, facts, voteCount, marks)
    state = 'approved'
  } else {
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
  }
  if (state !== 'pending') await wakeWaiting(unit, request, wake)
  const quorum = (voteCount?.counted ?? tallyVotes(request.routing, facts.votes)).record
  const execution = { state: 'not_started' } as const
  return { requestId: request.id, decisionId, state, stage: 'recorded', quorum, execution }
}

/** The approvals so far with this one, and where the quorum stands with it. */
interface VoteCount {
  readonly votes: readonly CountedVote[]
  readonly counted: ReturnType<typeof tallyVotes>
}

function countVotes(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  approval: Approval,
  { person }: DecisionMarks,
): VoteCount {
  const vote = { ...person, personId: person.id, scope: approval.scope, bounds: approval.bounds }
  const votes = [...facts.votes, vote]
  return { votes, counted: tallyVotes(request.routing, votes) }
}

function announceTo(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  { workflowId }: DecisionFacts,
): void {
  if (request.run_id === null || workflowId === null) return
  unit.announce({ runId: request.run_id, workflowId, requestIds: [request.id] })
}

/**
 * The quorum is met: approves the request, issues its permit and gives the grant that all who count
 * agree on.
 */
async function approveRequest(
  ctx: SigningContext,
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  { votes, counted }: VoteCount,
  { person, selfApproved }: DecisionMarks,
): Promise<void> {
  await endRequest(unit, request, { event: 'approve' })
  const deciders = counted.counted.map((place) => place.personId)
  const { attempt } = request
  await permitRequest(ctx, unit, request, facts, { counted: counted.counted, attempt })
  const reach = commonReach(votes.filter((vote) => deciders.includes(vote.personId)))
  if (reach.scope !== 'once') {
    const grant = { request, facts, ...reach, personId: person.id, selfApproved }
    await giveGrant(unit, ctx.signer, grant)
  }
}
