import { setImmediate } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { RequestState } from '#domain/requests/request.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { cancelRequests } from '../requests/ending/cancel-requests.ts'
import { commonReach, giveGrant } from '../grants/give-grant.ts'
import { wakeWaiting } from '../requests/ending/wake-waiting.ts'
import type { QuorumRecord } from '../requests/facts/request-record.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { CountedVote, Decider, DecisionFacts } from '../requests/facts/decision-facts.ts'
import type { ApprovalInput, DecisionInput } from '../requests/facts/decision-input.ts'
import { endApproved } from '../requests/ending/end-approved.ts'
import { endRequest } from '../requests/ending/end-request.ts'
import { expireLocked } from '../requests/ending/expire-locked.ts'
import { judgeDecision, type EligiblePerson } from './judge-decision.ts'
import { permitRequest } from '../permits/permit-request.ts'
import { recordDecision } from './record-decision.ts'
import { expiredProblem } from '../requests/ending/refuse-ended.ts'
import { judgeSignature, type JudgedSignature } from './signing/judge-signature.ts'
import { tallyVotes } from '../requests/facts/tally-votes.ts'

/** The answer to a decision (api.md). `state` stays `pending` while the quorum is not met. */
export interface DecisionAnswer {
  readonly requestId: string
  readonly decisionId: string
  readonly state: RequestState
  readonly stage: 'recorded'
  readonly quorum: QuorumRecord
  readonly execution: { readonly state: 'not_started' }
}

/** One decision, its person and its channel. */
export interface DecisionToJudge {
  readonly caller: Caller
  readonly decision: DecisionInput
  readonly batchDecisionId: string | null
  readonly seenAtAnyRisk: boolean
  readonly sessionHash: string | null
}

/** The decider, a person; for machines the judgement of the decision refuses. */
export function deciderOf({ actor }: Caller, sessionHash: string | null): Decider {
  return { personId: actor.type === 'person' ? actor.id : null, sessionHash, decides: true }
}

/** A permitted decision, with everything it was judged by. */
export interface JudgedDecision {
  readonly facts: DecisionFacts
  readonly voter: EligiblePerson
  readonly signed: JudgedSignature | null
}

/**
 * Judges a decision of a locked request by facts that were read since. It writes in two cases: it
 * expires a request whose time is over, and returns that refusal; and it consumes the challenge of
 * a signature. Throws every other refusal.
 */
export async function judgeLocked(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  input: DecisionToJudge,
): Promise<JudgedDecision | Problem> {
  unit.setChainEnd(request.id, facts.chainEnd, facts.now)
  // The session ended after it was looked up.
  if (!facts.isSignedIn)
    throw new Problem('unauthenticated', 'Your session has ended: sign in again')
  const voter = await judgeDecision(unit.tx, request, facts, input.decision, input)
  if (voter === 'lapsed') {
    await expireLocked(unit, request)
    return expiredProblem(request)
  }
  const signer = { personId: voter.person.id, sessionHash: input.sessionHash }
  const signature = await judgeSignature(
    unit.under(voter.authority),
    request,
    input.decision,
    signer,
  )
  return { facts, voter, signed: signature }
}

/** A judged decision with the rows that it may end, all of them locked. */
export interface DecisionToWrite extends DecisionToJudge, JudgedDecision {
  readonly request: Selectable<RequestTable>
  /** of later calls of the turn, which a denial with `stop` ends */
  readonly later: readonly Selectable<RequestTable>[]
  /** of the same delegation, which any denial ends */
  readonly delegationRequests: readonly Selectable<RequestTable>[]
  /** the workflow is signalled during the commit: for a unit with this one decision */
  readonly announces: boolean
}

/** Writes a judged decision, and the end of its request when the quorum is met. */
export async function writeDecision(
  ctx: SigningContext,
  attempt: UnitOfWork,
  input: DecisionToWrite,
): Promise<DecisionAnswer> {
  const { request, decision, facts, voter } = input
  const unit = attempt.under(voter.authority)
  const voteCount =
    decision.decision === 'deny' ? null : countVotes(request, facts, decision, voter)
  // Nothing can refuse it any more, so the signal can overlap the writing.
  if (input.announces && voteCount?.tally.met === true) {
    announceTo(unit, request, facts)
    // The signal is sent before the work that follows, which would block the event loop.
    await setImmediate()
  }
  const decisionId = await recordDecision(unit, input.caller, request, decision, {
    ...voter,
    batchDecisionId: input.batchDecisionId,
    facts,
    signed: input.signed,
  })
  const wake = [request.id]
  let state: RequestState = 'pending'
  if (decision.decision === 'deny') {
    await endRequest(unit, request, { event: 'deny', then: decision.then })
    // The denial of one part ends the whole delegation (product.md 23).
    await cancelRequests(unit, input.delegationRequests, 'delegation_denied')
    wake.push(...input.delegationRequests.map(({ id }) => id))
    // Later calls of the turn are locked for `stop` alone, which ends them (product.md 8).
    await cancelRequests(unit, input.later, 'sibling_denied', { denied: request.id })
    wake.push(...input.later.map(({ id }) => id))
    state = 'denied'
  } else if (voteCount?.tally.met === true) {
    await approveRequest(ctx, unit, request, facts, voteCount, voter)
    state = 'approved'
  } else {
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
  }
  if (state !== 'pending') await wakeWaiting(unit, request, wake)
  const quorum = (voteCount?.tally ?? tallyVotes(request.routing, facts.votes)).record
  const execution = { state: 'not_started' } as const
  return { requestId: request.id, decisionId, state, stage: 'recorded', quorum, execution }
}

/** The approvals including this one, and the state of the quorum. */
interface VoteCount {
  readonly votes: readonly CountedVote[]
  readonly tally: ReturnType<typeof tallyVotes>
}

function countVotes(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  approval: ApprovalInput,
  { person }: EligiblePerson,
): VoteCount {
  const vote = { ...person, personId: person.id, scope: approval.scope, bounds: approval.bounds }
  const votes = [...facts.votes, vote]
  return { votes, tally: tallyVotes(request.routing, votes) }
}

function announceTo(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  { workflowId }: DecisionFacts,
): void {
  // The workflow of a start waits for another signal, which the outbox delivers.
  if (request.run_id === null || workflowId === null || request.kind === 'start') return
  unit.announce({ runId: request.run_id, workflowId, requestIds: [request.id] })
}

/**
 * The quorum is met: approves the request, issues its permit and gives the grant to which all
 * counted approvals agree.
 */
async function approveRequest(
  ctx: SigningContext,
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  { votes, tally }: VoteCount,
  { person, selfApproved }: EligiblePerson,
): Promise<void> {
  await endApproved(unit, request, facts)
  const deciders = tally.counted.map((place) => place.personId)
  const { attempt } = request
  await permitRequest(ctx, unit, request, facts, { countedVotes: tally.counted, attempt })
  const reach = commonReach(votes.filter((vote) => deciders.includes(vote.personId)))
  if (reach.scope !== 'once') {
    const grant = { request, facts, ...reach, personId: person.id, selfApproved }
    await giveGrant(unit, ctx.signer, grant)
  }
}
