import type { Json } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import { parseDecision } from '../requests/facts/decision-input.ts'
import { onceForKey } from '../core/idempotency.ts'
import { together } from '#store/connection/side-by-side.ts'
import { readDecisionFacts } from '../requests/facts/decision-facts.ts'
import { lockWithSiblings, type Reach } from '../requests/ending/lock-with-siblings.ts'
import { byAttempt } from '../core/authority.ts'
import type { DecisionInput } from '../requests/facts/decision-input.ts'
import { takeChallenge } from '../passkeys/challenges.ts'
import { deciderOf, judgeLocked, writeDecision, type DecisionAnswer } from './decide-locked.ts'

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
  /**
   * a refusal because of the other decisions of its batch; a repeated call gets its first answer
   */
  readonly batchRefusal?: Problem | null
  /**
   * hash of the deciding session, which alone can answer its challenges; absent: the decision is
   * not signed
   */
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
  const { batchRefusal, batchDecisionId = null, seenAtAnyRisk = false, sessionHash = null } = input
  const decider = deciderOf(caller, input.callerSession ?? null)
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'decide' }, (target) =>
    inUnitOfWork(ctx, byAttempt(caller), async (unit) => {
      const call = { caller, key: input.idempotencyKey, route: `decide:${target.id}` }
      return onceForKey(unit.tx, { ...call, body: input.body }, async () => {
        if (batchRefusal != null) return batchRefusal
        const decision = parseDecision(input.body)
        // Sent together: the facts need a later statement than the locks.
        const [rows, facts] = await together([
          lockWithSiblings(unit.tx, target, reachOf(decision)),
          readDecisionFacts(unit, target.id, decider),
        ])
        const how = { caller, decision, batchDecisionId, seenAtAnyRisk, sessionHash }
        const judgement = await judgeLocked(unit, rows.request, facts, how)
        if (judgement instanceof Problem) return judgement
        return writeDecision(ctx, unit, { ...rows, ...how, ...judgement, announces: true })
      })
    }).catch((error: unknown) => consumeRefused(ctx, input, error)),
  )
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

function reachOf(decision: DecisionInput): Reach {
  if (decision.decision === 'approve') return 'request'
  return decision.then === 'stop' ? 'turn' : 'delegation'
}
