import type { Selectable } from 'kysely'
import type { Json } from '../../domain/json.ts'
import type { Problem } from '../../domain/problem.ts'
import type { RequestState } from '../../domain/request.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { Caller, SigningContext } from '../context.ts'
import { endCompanions } from '../delegation/companions.ts'
import { commonReach, giveGrant } from '../grants/give-grant.ts'
import { findRequestFor, type FoundRequest } from '../requests/find-request.ts'
import { wakeWaiting } from '../requests/wake-waiting.ts'
import type { QuorumRecord } from '../requests/request-record.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { auditingRefusals } from './audit-refusal.ts'
import { readDecisionFacts, type DecisionFacts, type StandingVote } from './decision-facts.ts'
import { parseDecision, type Approval, type DecisionInput } from './decision-input.ts'
import { endRequest } from './ending/end-request.ts'
import { expireLocked } from './ending/expire-locked.ts'
import { onceForKey } from './idempotency.ts'
import { judgeDecision, type DecisionMarks } from './judge-decision.ts'
import { permitRequest } from './permits/permit-request.ts'
import { recordDecision } from './record-decision.ts'
import { expiredProblem } from './ending/refuse-ended.ts'
import { lockWithSiblings, stopSiblings } from './ending/stop-siblings.ts'
import { judgeSignature } from './signing/judge-signature.ts'
import { tallyVotes } from './tally-votes.ts'

export interface DecideRequestInput {
  /** id or number */
  readonly request: string
  /** the decision as it came: judged here, field by field, on every channel */
  readonly body: Json
  readonly idempotencyKey?: string
  readonly batchDecisionId?: string
  /** of the session that decides, which alone can answer its own challenges; absent of a decision that is not signed */
  readonly sessionHash?: string | null
}

/** What a decision is answered with (api.md). `state` stays `pending` while the quorum is not met. */
export interface DecisionAnswer {
  readonly requestId: string
  readonly decisionId: string
  readonly state: RequestState
  readonly stage: 'recorded'
  readonly quorum: QuorumRecord
  readonly execution: { readonly state: 'not_started' }
}

/**
 * Decides one revision of one request: the one function for every channel (security.md 12). Authorisation, separation of
 * duties, digest, quorum and state are judged in the transaction, with the run and the request locked, that also writes
 * the decision, its permit or denial, a grant, the trail, the stream and the signal. When it returns, the decision is
 * durable. Rejects with the codes of api.md, in that order; refused attempts are recorded.
 *
 * @example await decideRequest(ctx, caller, { request: '142', body: { decision: 'approve', digest, revision: 1 } })
 */
export async function decideRequest(
  ctx: SigningContext,
  caller: Caller,
  input: DecideRequestInput,
): Promise<DecisionAnswer> {
  const found = await findRequestFor(ctx, caller, input.request)
  return auditingRefusals(ctx, caller, found.id, { attempt: 'decide' }, () =>
    inUnitOfWork(ctx, async (unit) => {
      const call = { caller, key: input.idempotencyKey, route: `decide:${found.id}` }
      return onceForKey(unit.tx, { ...call, body: input.body }, async () => {
        const decision = parseDecision(input.body)
        return decideLocked(ctx, unit, caller, {
          found,
          decision,
          batchDecisionId: input.batchDecisionId ?? null,
          sessionHash: input.sessionHash ?? null,
        })
      })
    }),
  )
}

async function decideLocked(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  asked: {
    readonly found: FoundRequest
    readonly decision: DecisionInput
    readonly batchDecisionId: string | null
    readonly sessionHash: string | null
  },
): Promise<DecisionAnswer | Problem> {
  const { decision } = asked
  const stop = decision.decision === 'deny' && decision.then === 'stop'
  const reach = stop ? 'turn' : decision.decision === 'deny' ? 'delegation' : 'request'
  const { request, later, companions } = await lockWithSiblings(unit.tx, asked.found, reach)
  const personId = caller.actor.type === 'person' ? caller.actor.id : null
  const facts = await readDecisionFacts(unit.tx, request.id, personId)
  const marks = await judgeDecision(unit.tx, request, facts, decision)
  if (marks === 'lapsed') {
    await expireLocked(unit, request)
    return expiredProblem(request)
  }
  const signer = { personId: marks.person.id, sessionHash: asked.sessionHash }
  const signed = await judgeSignature(unit.tx, request, decision, signer)
  const ballot = decision.decision === 'deny' ? null : countVotes(request, facts, decision, marks)
  // Nothing refuses it any more: its workflow is told while it is written down.
  if (ballot?.counted.met === true) announceTo(unit, request, facts)
  const decisionId = await recordDecision(unit, caller, request, decision, {
    ...marks,
    batchDecisionId: asked.batchDecisionId,
    facts,
    signed,
  })
  const wake = [request.id]
  let state: RequestState = 'pending'
  if (decision.decision === 'deny') {
    await endRequest(unit, request, { event: 'deny', then: decision.then })
    // Denying one part of a delegation aborts it (product.md 23).
    await endCompanions(unit, caller, companions, 'delegation_denied')
    wake.push(...companions.map(({ id }) => id))
    if (stop) wake.push(...(await stopSiblings(unit, caller, request, later)))
    state = 'denied'
  } else if (ballot?.counted.met === true) {
    await approveRequest(ctx, unit, caller, request, facts, ballot, marks)
    state = 'approved'
  } else {
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
  }
  if (state !== 'pending') await wakeWaiting(unit, request, wake)
  const quorum = (ballot?.counted ?? tallyVotes(request.routing, facts.votes)).record
  const execution = { state: 'not_started' } as const
  return { requestId: request.id, decisionId, state, stage: 'recorded', quorum, execution }
}

/** The approvals so far with this one, and where the quorum stands with it. */
interface Ballot {
  readonly votes: readonly StandingVote[]
  readonly counted: ReturnType<typeof tallyVotes>
}

function countVotes(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  approval: Approval,
  { person }: DecisionMarks,
): Ballot {
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

/** The quorum is met: approves the request, issues its permit and gives the grant that all who count agree on. */
async function approveRequest(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  { votes, counted }: Ballot,
  { person, selfApproved }: DecisionMarks,
): Promise<void> {
  await endRequest(unit, request, { event: 'approve' })
  const deciders = counted.counted.map((place) => place.personId)
  const { attempt } = request
  await permitRequest(ctx, unit, caller, request, facts, { counted: counted.counted, attempt })
  const reach = commonReach(votes.filter((one) => deciders.includes(one.personId)))
  if (reach.scope !== 'once') {
    const grant = { request, facts, ...reach, personId: person.id, selfApproved }
    await giveGrant(unit, ctx.signer, caller, grant)
  }
}
