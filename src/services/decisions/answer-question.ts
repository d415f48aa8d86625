import type { Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { needOfRequests } from '#domain/runs/need-of-run.ts'
import { getText } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import type { DecisionFacts } from '../requests/facts/decision-facts.ts'
import { factsWhileOpen } from '../requests/ending/refuse-ended.ts'
import { invalid, requireWords } from '../core/problems/invalid.ts'
import { endRequest } from '../requests/ending/end-request.ts'
import { onceForKey } from '../core/idempotency.ts'
import { judgePerson, type EligiblePerson } from './judge-decision.ts'
import { recordDecision } from './record-decision.ts'
import { verifyRun } from '../core/verify-run.ts'
import { lockActivationShared, lockRequest, lockRun } from '../core/locks.ts'
import { endOfBasis } from '../core/rights-of.ts'
import { answeredText } from '../transcript/result-texts.ts'
import { storeResult } from '../transcript/store-result.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { byAttempt, byEligibility, type Authority } from '../core/authority.ts'
import { bySteeringOrNull } from '../runs/may-steer-run.ts'

export interface AnswerQuestionInput {
  /** id or number of a request of kind *question* */
  readonly request: string
  /** 1 to 4,000 characters; one of the choices, if the question offers some */
  readonly text: string
  readonly idempotencyKey?: string
}

/**
 * The answer to the caller. `state` is always `approved`, the state of a request that people have
 * dealt with.
 */
export interface AnsweredQuestion {
  readonly requestId: string
  readonly decisionId: string
  readonly state: 'approved'
}

/**
 * Answers a question of a run (`ask_person`) for one person who could decide a request there or may
 * send messages to the run (product.md 30), in free text or with one of the choices. The answer is
 * the call's result, written in the same transaction as the decision row. Its author is behind
 * every request that is opened afterwards (product.md 17). Rejects as a decision does.
 */
export async function answerQuestion(
  ctx: SigningContext,
  caller: Caller,
  input: AnswerQuestionInput,
): Promise<AnsweredQuestion> {
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'answer' }, async (target) => {
    const steering = await steeringOf(ctx, caller, target.runId)
    return inUnitOfWork(ctx, byAttempt(caller), (unit) => {
      const { idempotencyKey: key, text } = input
      const call = { caller, key, route: `answer:${target.id}`, body: { text } }
      return onceForKey(unit.tx, call, async () => {
        await lockActivationShared(unit.tx)
        const basis = steering?.basis ?? null
        const steers = basis === null || (await endOfBasis(ctx, unit, basis)) === null
        const run = target.runId === null ? null : await lockRun(unit.tx, target.runId)
        // A run whose signature does not hold gives nobody a right.
        const isSigned = run !== null && verifyRun(unit.verifier, run) !== null
        const by = { requestId: target.id, steering: isSigned && steers ? steering : null }
        return answerLocked(unit, caller, by, checkedText(text))
      })
    })
  })
}

/** The authority of a person who may message the run; `null`: others, and programs. */
async function steeringOf(
  ctx: SigningContext,
  caller: Caller,
  runId: string | null,
): Promise<Authority | null> {
  if (runId === null || caller.actor.type !== 'person') return null
  return bySteeringOrNull(ctx, caller, runId)
}

async function answerLocked(
  attempt: UnitOfWork,
  caller: Caller,
  { requestId, steering }: { readonly requestId: string; readonly steering: Authority | null },
  text: string,
): Promise<AnsweredQuestion | Problem> {
  const request = await lockRequest(attempt.tx, requestId)
  const { kind, run_id: runId, call_id: callId } = request
  if (kind !== 'question' || runId === null || callId === null) {
    throw invalid('request', `is not a question; ${needOfRequests([request])} it`)
  }
  const facts = await factsWhileOpen(attempt, caller, request)
  if (facts instanceof Problem) return facts
  const voter = judgeAnswerer(caller, request, facts, steering)
  const unit = attempt.under(voter.authority)
  await refuseOtherChoice(unit.tx, facts, text)
  const decisionId = await recordAnswer(unit, caller, request, facts, voter, text)
  await endRequest(unit, request, { event: 'approve' })
  await storeResult(unit.tx, callId, {
    type: 'output',
    output: { answer: text },
    text: answeredText(voter.person.name, text),
  })
  await unit.event('run.changed', { runId })
  const payload = { requestIds: [request.id] }
  await unit.enqueue({ kind: 'signal_decided', runId, payload })
  return { requestId: request.id, decisionId, state: 'approved' }
}

/**
 * People who may steer the run may answer also when they are behind it: an answer approves nothing.
 * Others are judged as for a decision.
 */
function judgeAnswerer(
  caller: Caller,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  steering: Authority | null,
): EligiblePerson {
  const { person } = facts
  if (steering === null || person === null || !person.enabled || facts.tampered !== null) {
    return judgePerson(caller, request, facts)
  }
  const refusal = (): Problem =>
    new Problem('not_eligible', 'Only people can answer questions', { which: 'machine' })
  const authority = byEligibility(caller, person, refusal)
  return { authority, person, selfApproved: false, edited: false }
}

/** The decision row has the answer as its reason: erasable, with a commitment. */
async function recordAnswer(
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  voter: EligiblePerson,
  text: string,
): Promise<string> {
  return recordDecision(
    unit,
    caller,
    request,
    {
      decision: 'approve',
      digest: facts.revision.digest,
      revision: request.revision,
      reason: text,
      seen: null,
      assertion: null,
      scope: 'once',
      bounds: null,
      again: false,
    },
    { ...voter, batchDecisionId: null, facts, signed: null },
  )
}

function checkedText(text: string): string {
  requireWords('text', text)
  if (!text.isWellFormed() || text.includes('\0')) {
    throw invalid('text', 'has a NUL character or half a surrogate pair')
  }
  return text
}

async function refuseOtherChoice(tx: Tx, facts: DecisionFacts, text: string): Promise<void> {
  const input = JSON.parse(await getText(tx, facts.revision.inputHash)) as JsonObject
  const { choices } = input
  if (!Array.isArray(choices) || choices.includes(text)) return
  throw invalid(
    'text',
    `must be one of the choices: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`,
  )
}
