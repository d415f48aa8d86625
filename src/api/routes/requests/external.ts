import { answerOf } from '../../views/answer-of.ts'
import { z } from 'zod'
import { judgeCallback } from '#delivery/callbacks/judge-callback.ts'
import { consumePermit } from '#services/external/consume-permit.ts'
import { callbackSecret } from '#services/external/callback-secret.ts'
import { openExternal } from '#services/external/open-external.ts'
import { reportOutcome } from '#services/external/report-outcome.ts'
import { withdrawRequest } from '#services/external/withdraw-request.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { route } from '../../route/route.ts'
import { emptyBody, requestRef } from '../../schemas/common.ts'
import * as schemas from '../../schemas/requests/external.ts'
import { requestDetail } from '../../schemas/requests/requests.ts'
import { requestDetailView } from '../../views/request-view.ts'
import { workspaceRootOf } from '../../context/api.ts'
import { targetRules } from '../../context/target-rules.ts'

/** For programs: the verbs refuse people. */
const access = { by: 'personOrKey', scope: 'requests:write' } as const
const params = z.object({ id: requestRef })

/** Programs that are not runs: they ask, consume the permit once, and report the outcome. */
export const externalRoutes = [
  route({
    method: 'post',
    path: '/v1/requests',
    name: 'openRequest',
    summary: 'Open a request',
    description:
      "Ask for approval of a program's own call. A repeated call with the same externalId returns the state of the request",
    access,
    body: schemas.externalBody,
    answers: {
      201: {
        description:
          'The request: pending, or approved already if the policy of `worker` pre-approves the call',
        schema: requestDetail,
      },
    },
    problems: [
      'unknown_worker',
      'policy_blocked',
      'idempotency_key_reused',
      'unreachable_approvers',
      'workspace_unreachable',
    ],
    answer: async (api, { body, caller, request }) => {
      const { callbackUrl, ...call } = body
      if (callbackUrl !== undefined) await judgeCallback(callbackUrl, await targetRules(api))
      const callback = callbackOf(callbackUrl, request.get('authorization'))
      const opening = await openExternal(api.ctx, caller, {
        ...call,
        ...(callback === null ? {} : { callback }),
      })
      const record = await getRequest(api.ctx, caller, { request: opening.requestId })
      return {
        status: 201,
        body: requestDetailView(record, await workspaceRootOf(api, record.workspace)),
        headers: { etag: `"${record.version}"`, location: `/v1/requests/${record.id}` },
      }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/consume',
    name: 'consumePermit',
    summary: 'Consume a permit',
    description: "Take the permit of a program's request. A permit can be taken once",
    access,
    params,
    body: schemas.consumeBody,
    answers: { 200: { description: 'The permit, signed', schema: schemas.consumed } },
    problems: [
      'already_consumed',
      'tampered',
      'already_decided',
      'conflict',
      'expired',
      'cancelled',
      'stale_digest',
      'digest_required',
      'policy_blocked',
      'workspace_unreachable',
    ],
    answer: async (api, { params, body, caller }) => {
      const digest = body.digest ?? null
      const permit = await consumePermit(api.ctx, caller, { request: params.id, digest })
      const answer = { permit: answerOf(permit) }
      return { status: 200, body: answer satisfies schemas.ConsumedAnswer }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/outcome',
    name: 'reportOutcome',
    summary: 'Report an outcome',
    description:
      'Report how the call ended. This can be reported once; `unknown` can be followed by another outcome, except for the call of a hook',
    access,
    params,
    body: schemas.outcomeBody,
    answers: { 200: { description: 'Recorded', schema: schemas.reported } },
    problems: ['conflict'],
    answer: async (api, { params, body, caller }) => {
      const { state, summary = null } = body
      const outcome = await reportOutcome(api.ctx, caller, { request: params.id, state, summary })
      return { status: 200, body: outcome }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/withdraw',
    name: 'withdrawRequest',
    summary: 'Withdraw a request',
    description: "Withdraw a program's request before it is decided",
    access,
    params,
    body: emptyBody,
    answers: { 200: { description: 'It has left the queue', schema: schemas.withdrawn } },
    problems: ['already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, caller }) => {
      const { requestId } = await withdrawRequest(api.ctx, caller, { request: params.id })
      return { status: 200, body: { requestId, state: 'cancelled', cancelReason: 'withdrawn' } }
    },
  }),
]

/**
 * A program is called back with a secret of the key that it asks with; people, who have none, are
 * refused by the verb.
 */
function callbackOf(url: string | undefined, authorization: string | undefined) {
  const key = authorization?.replace(/^Bearer /i, '')
  return url === undefined || key === undefined ? null : { url, secret: callbackSecret(key) }
}
