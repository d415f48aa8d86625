import type { Response } from 'express'
import { z } from 'zod'
import type { Json } from '../../../domain/json.ts'
import { limits } from '../../../domain/limits.ts'
import { Problem } from '../../../domain/problem.ts'
import { decideMany } from '../../../services/decisions/decide-many.ts'
import { decideRequest } from '../../../services/decisions/decide-request.ts'
import { offerSignature } from '../../../services/decisions/signing/offer-signature.ts'
import { waitForStage } from '../../../services/decisions/wait-for-stage.ts'
import { relyingPartyOf } from '../../../services/passkeys/relying-party.ts'
import {
  idempotencyHeader,
  idempotencyKeyOf,
  preferHeader,
  preferredWaitMs,
} from '../../preferences.ts'
import { route, type Route } from '../../route.ts'
import { json, requestRef } from '../../schemas/common.ts'
import * as schemas from '../../schemas/requests/decisions.ts'
import { bulkAnswerView, decisionAnswerView } from '../../views/decision-view.ts'

/** Any key may knock: the verb refuses machines with `not_eligible` and records it (product.md 19). */
const access = { by: 'personOrKey', scope: null } as const

/** Of a decision as such, signed or not. */
const refusals = [
  'not_eligible',
  'already_decided',
  'already_voted',
  'expired',
  'cancelled',
  'stale_digest',
  'stale_revision',
  'scope_not_allowed',
  'reason_required',
  'not_displayed',
  'digest_required',
] as const

export const decisionRoutes: Route[] = [
  route({
    method: 'post',
    path: '/v1/requests/:id/decisions',
    summary: 'Approve or deny one revision of a request',
    access,
    params: z.object({ id: requestRef }),
    body: schemas.decisionBody as unknown as z.ZodType<Json>,
    bodyIsJudgedByVerb: true,
    headers: z.object({ ...idempotencyHeader, ...preferHeader }),
    answers: {
      200: {
        description: 'Recorded: durable, and nobody else can decide it otherwise',
        schema: schemas.decisionAnswer,
      },
    },
    problems: [...refusals, 'signature_required', 'signature_invalid', 'idempotency_key_reused'],
    answer: async (api, { params, body, caller, identity, request, response }) => {
      const key = idempotencyKeyOf(request)
      const decided = await decideRequest(api.ctx, caller, {
        request: params.id,
        body,
        sessionHash: identity.kind === 'session' ? identity.session.tokenHash : null,
        ...key,
      })
      const withinMs = preferredWaitMs(request)
      if (withinMs === 0) return { status: 200, body: decisionAnswerView(decided, null) }
      const { decisionId } = decided
      const signal = AbortSignal.any([
        signalOf(response),
        ...(api.stopping === undefined ? [] : [api.stopping]),
      ])
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
    summary:
      'What a passkey is to sign for this decision; takes its body, and counts once, for five minutes',
    access: { by: 'person' },
    params: z.object({ id: requestRef }),
    body: schemas.decisionBody as unknown as z.ZodType<Json>,
    bodyIsJudgedByVerb: true,
    answers: { 200: { description: 'The statement and the options', schema: schemas.challenge } },
    problems: [...refusals, 'no_passkey'],
    answer: async (api, { params, body, caller, identity }) => {
      if (identity.kind !== 'session') throw new Problem('forbidden', 'Only people sign')
      const offered = await offerSignature(api.ctx, caller, {
        request: params.id,
        body,
        sessionHash: identity.session.tokenHash,
        relyingParty: relyingPartyOf(api.settings.publicUrl),
      })
      return { status: 200, body: { ...offered, expiresAt: offered.expiresAt.toISOString() } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/decisions',
    summary: 'Decide several requests, each judged alone',
    access,
    body: schemas.bulkDecisionsBody as unknown as z.ZodType<Json>,
    bodyIsJudgedByVerb: true,
    headers: z.object(idempotencyHeader),
    answers: {
      200: { description: 'What became of each, in their order', schema: schemas.bulkAnswer },
    },
    problems: ['idempotency_key_reused'],
    answer: async (api, { body, caller, request }) => {
      const { decisions } = envelope.parse(body)
      const key = idempotencyKeyOf(request)
      const answer = await decideMany(api.ctx, caller, { decisions, ...key })
      return { status: 200, body: bulkAnswerView(answer) }
    },
  }),
]

/** The list is judged here; each decision in it by the verb, so that a bad one spoils no other. */
const envelope = z.strictObject({
  decisions: z.array(json).min(1).max(limits.bulkDecisions),
})

/** Fires when the caller has gone. */
function signalOf(response: Response): AbortSignal {
  const controller = new AbortController()
  response.on('close', () => controller.abort())
  return controller.signal
}
