import type { Json } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { byAttempt } from '../core/authority.ts'
import { lockKeys, onceForKey } from '../core/idempotency.ts'
import { lockActivationSharedFirst } from '../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { takeChallenge } from '../passkeys/challenges.ts'
import { recordingAttempt } from '../requests/people/attempt-on-request.ts'
import {
  findRequestFor,
  idOfReference,
  viewerWithoutRights,
  type RequestLocation,
} from '../requests/people/find-request.ts'
import { parseDecision, type DecisionInput } from '../requests/facts/decision-input.ts'
import {
  readDecisionFacts,
  readManyFacts,
  type DecisionFacts,
} from '../requests/facts/decision-facts.ts'
import { lockVisible } from '../requests/ending/lock-visible.ts'
import { lockWithSiblings, type Reach } from '../requests/ending/lock-with-siblings.ts'
import {
  deciderOf,
  judgeLocked,
  writeDecision,
  type DecisionAnswer,
  type DecisionToJudge,
} from './decide-locked.ts'

export interface DecideRequestInput {
  /** id or number */
  readonly request: string
  /** the decision as received: judged here, field by field, on every channel */
  readonly body: Json
  readonly idempotencyKey?: string
  readonly batchDecisionId?: string
  /**
   * an approval needs `seen` at every risk: in an action on several requests nobody can tell what
   * was on the screen (product.md 39)
   */
  readonly seenAtAnyRisk?: true
  /** a refusal because of its batch's other decisions; a repeated call gets its answer */
  readonly batchRefusal?: Problem | null
  /** hash of the session, which alone answers its challenges; absent: not signed */
  readonly sessionHash?: string | null
  /** hash of the token of the caller's session, which must not end before the decision */
  readonly callerSession?: string | null
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
  return recordingAttempt(ctx, caller, input.request, { attempt: 'decide' }, async () => {
    try {
      const answer = await approveVisible(ctx, caller, input)
      if (answer !== null) return answer
      return await decideAt(ctx, caller, input, await findRequestFor(ctx, caller, input.request))
    } catch (error) {
      return consumeRefused(ctx, input, error)
    }
  })
}

/**
 * A refused signature consumes its challenge too, after the transaction of the decision was rolled
 * back: each challenge has one answer. Rejects with the refusal.
 */
async function consumeRefused(
  ctx: SigningContext,
  { body, sessionHash = null }: DecideRequestInput,
  error: unknown,
): Promise<never> {
  const assertion =
    error instanceof Problem && error.code === 'signature_invalid'
      ? parseDecision(body).assertion
      : null
  if (assertion !== null && sessionHash !== null) {
    const { clientDataJSON: clientDataJson } = assertion.response
    await takeChallenge(ctx, { clientDataJson, purpose: 'decide', sessionHash })
  }
  throw error
}

/**
 * Decides an approval, the most frequent decision, and waits once for everything that is read: the
 * key, the locks, whether the caller may see the request, and the facts. Returns `null` and writes
 * nothing if the body is no approval, if it names its request by number, or if only a right lets
 * the caller see the request.
 */
async function approveVisible(
  ctx: SigningContext,
  caller: Caller,
  input: DecideRequestInput,
): Promise<DecisionAnswer | Problem | null> {
  const { body, idempotencyKey: key } = input
  const id = idOfReference(input.request)
  const decision = input.batchRefusal == null ? approvalIn(body) : null
  if (id === null || decision === null) return null
  const decider = deciderOf(caller, input.callerSession ?? null)
  return inUnitOfWork(ctx, byAttempt(caller), async (unit) => {
    // Sent together: each needs a later statement than the one before.
    const [keys, , request, facts] = await together([
      lockKeys(unit.tx, caller, key === undefined ? [] : [key]),
      lockActivationSharedFirst(unit.tx),
      lockVisible(unit.tx, viewerWithoutRights(caller), id),
      readManyFacts(unit, [id], decider),
    ])
    const factsOf = facts.get(id)
    if (request === null || factsOf === undefined) return null
    const call = { caller, key, route: `decide:${id}`, body }
    const answer = await keys.once(call, async () => {
      const rows = { request, later: [], delegationRequests: [] }
      return judgeAndWrite(ctx, unit, rows, factsOf(request), { ...howOf(caller, input), decision })
    })
    keys.rememberIn(unit)
    return answer
  })
}

/** The approval that a body is; `null`: it is a denial, or refused. */
function approvalIn(body: Json): DecisionInput | null {
  try {
    const decision = parseDecision(body)
    return decision.decision === 'approve' ? decision : null
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

async function decideAt(
  ctx: SigningContext,
  caller: Caller,
  input: DecideRequestInput,
  location: RequestLocation,
): Promise<DecisionAnswer | Problem> {
  const { batchRefusal } = input
  const decider = deciderOf(caller, input.callerSession ?? null)
  return inUnitOfWork(ctx, byAttempt(caller), async (unit) => {
    const call = { caller, key: input.idempotencyKey, route: `decide:${location.id}` }
    return onceForKey(unit.tx, { ...call, body: input.body }, async () => {
      if (batchRefusal != null) return batchRefusal
      const decision = parseDecision(input.body)
      // Sent together: the facts need a later statement than the locks.
      const [, rows, facts] = await together([
        lockActivationSharedFirst(unit.tx),
        lockWithSiblings(unit.tx, location, reachOf(decision)),
        readDecisionFacts(unit, location.id, decider),
      ])
      return judgeAndWrite(ctx, unit, rows, facts, { ...howOf(caller, input), decision })
    })
  })
}

async function judgeAndWrite(
  ctx: SigningContext,
  unit: UnitOfWork,
  rows: Awaited<ReturnType<typeof lockWithSiblings>>,
  facts: DecisionFacts,
  how: DecisionToJudge,
): Promise<DecisionAnswer | Problem> {
  const judgement = await judgeLocked(unit, rows.request, facts, how)
  if (judgement instanceof Problem) return judgement
  return writeDecision(ctx, unit, { ...rows, ...how, ...judgement, announces: true })
}

function howOf(caller: Caller, input: DecideRequestInput): Omit<DecisionToJudge, 'decision'> {
  const { batchDecisionId = null, seenAtAnyRisk = false, sessionHash = null } = input
  return { caller, batchDecisionId, seenAtAnyRisk, sessionHash }
}

function reachOf(decision: DecisionInput): Reach {
  if (decision.decision === 'approve') return 'request'
  return decision.then === 'stop' ? 'turn' : 'delegation'
}
