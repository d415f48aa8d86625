import { type BulkAnswer as BulkRecord, decideMany } from '#services/decisions/decide-many.ts'
import type { DecisionAnswer as DecisionRecord } from '#services/decisions/decide-locked.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { type StageRecord, waitForStage } from '#services/requests/detail/wait-for-stage.ts'
import type { BulkAnswer, DecisionAnswer } from '../../schemas/requests/decisions.ts'
import { answerOf } from '../../views/answer-of.ts'
import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import { offerSignature } from '#services/decisions/offer-signature.ts'
import { relyingPartyOf } from '#services/passkeys/relying-party.ts'
import {
  idempotencyHeader,
  idempotencyKeyOf,
  preferHeader,
  preferredWaitMs,
} from '../../route/preferences.ts'
import { endSignal } from '../../held-open/wait-for-request.ts'
import type { Identity } from '../../identity/identity.ts'
import { route } from '../../route/route.ts'
import { json, requestRef } from '../../schemas/common.ts'
import * as schemas from '../../schemas/requests/decisions.ts'

/** Any key may call: the verb refuses machines and records it (product.md 19). */
const access = { by: 'personOrKey', scope: null } as const

/** For a decision itself, signed or not. */
const refusals = [
  'not_eligible',
  'already_decided',
  'already_voted',
  'tampered',
  'expired',
  'cancelled',
  'stale_digest',
  'stale_revision',
  'scope_not_allowed',
  'reason_required',
  'not_displayed',
  'digest_required',
  'again_required',
] as const

export const decisionRoutes = [
  route({
    method: 'post',
    path: '/v1/requests/:id/decisions',
    name: 'decideRequest',
    summary: 'Decide a request',
    description: 'Approve or deny one revision of a request',
    access,
    params: z.object({ id: requestRef }),
    body: schemas.decisionBody,
    bodyIsJudgedByVerb: true,
    headers: z.object({ ...idempotencyHeader, ...preferHeader }),
    answers: {
      200: {
        description: 'Recorded durably. Nobody can overrule this decision',
        schema: schemas.decisionAnswer,
      },
    },
    problems: [...refusals, 'signature_required', 'signature_invalid', 'idempotency_key_reused'],
    answer: async (api, { params, body, caller, identity, request, response }) => {
      const key = idempotencyKeyOf(request)
      const decided = await decideRequest(api.ctx, caller, {
        request: params.id,
        body,
        sessionHash: sessionHashOf(identity),
        callerSession: sessionHashOf(identity),
        ...key,
      })
      const withinMs = preferredWaitMs(request)
      if (withinMs === 0) return { status: 200, body: decisionAnswerView(decided, null) }
      const { decisionId } = decided
      const signal = endSignal(api, response)
      const reached = await waitForStage(api.ctx, { decisionId, withinMs, signal })
      return {
        status: 200,
        body: decisionAnswerView(decided, reached),
        headers: { 'preference-applied': `wait=${withinMs / 1000}` },
      }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/challenge',
    name: 'createChallenge',
    summary: 'Create a signing challenge',
    description:
      'Return the challenge that a passkey signs for this decision. The body is that of the decision; the challenge can be used once, within five minutes',
    access: { by: 'person' },
    params: z.object({ id: requestRef }),
    body: schemas.decisionBody,
    bodyIsJudgedByVerb: true,
    answers: { 200: { description: 'The statement and the options', schema: schemas.challenge } },
    problems: [...refusals, 'no_passkey'],
    answer: async (api, { params, body, caller, identity }) => {
      if (identity.kind !== 'session') throw new Problem('forbidden', 'Only people can sign')
      const challenge = await offerSignature(api.ctx, caller, {
        request: params.id,
        body,
        sessionHash: identity.session.tokenHash,
        relyingParty: relyingPartyOf(api.settings.publicUrl),
      })
      return { status: 200, body: answerOf(challenge) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/decisions',
    name: 'decideRequests',
    summary: 'Decide several requests',
    description:
      'Decide several requests in one call. Each decision is accepted or refused separately',
    access,
    body: schemas.bulkDecisionsBody,
    bodyIsJudgedByVerb: true,
    headers: z.object(idempotencyHeader),
    answers: {
      200: {
        description: 'The result of each, in the order of the body',
        schema: schemas.bulkAnswer,
      },
    },
    problems: ['idempotency_key_reused'],
    answer: async (api, { body, caller, identity, request }) => {
      const { decisions, turn } = envelope.parse(body)
      const callerSession = sessionHashOf(identity)
      const input = { decisions, callerSession, ...(turn === undefined ? {} : { turn }) }
      const answer = await decideMany(api.ctx, caller, { ...input, ...idempotencyKeyOf(request) })
      return { status: 200, body: bulkAnswerView(answer) }
    },
  }),
]

/** Paths whose verbs look for the caller's session in the transaction that decides. */
export const decidingPaths: readonly RegExp[] = [
  /^\/v1\/requests\/[^/?]+\/decisions(?:\?|$)/,
  /^\/v1\/decisions(?:\?|$)/,
]

function sessionHashOf(identity: Identity): string | null {
  return identity.kind === 'session' ? identity.session.tokenHash : null
}

/** The list is judged here, each decision by the verb: a bad one affects no other. */
const envelope = z.strictObject({
  turn: schemas.turnRef.optional(),
  decisions: z.array(json).min(1).max(limits.bulkDecisions),
})

/** A decision as it was recorded, and its stage if the caller waited. */
function decisionAnswerView(decided: DecisionRecord, reached: StageRecord | null): DecisionAnswer {
  return {
    requestId: decided.requestId,
    decisionId: decided.decisionId,
    state: decided.state,
    stage: reached?.stage ?? decided.stage,
    quorum: answerOf(decided.quorum),
    execution: answerOf(reached?.execution ?? decided.execution),
  }
}

/** Facts of a refusal are next to its code, as in a problem document. */
function bulkAnswerView(answer: BulkRecord): BulkAnswer {
  return {
    batchDecisionId: answer.batchDecisionId,
    items: answer.items.map(({ facts, ...item }) => ({ ...facts, ...item })),
  }
}
