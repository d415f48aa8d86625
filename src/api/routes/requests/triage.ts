import { z } from 'zod'
import { handOverRequest } from '#services/requests/hand-over-request.ts'
import { nudgeRequest } from '#services/requests/nudge-request.ts'
import { snoozeRequest } from '#services/requests/snooze-request.ts'
import { route } from '../../route/route.ts'
import { emptyBody, requestRef } from '../../schemas/common.ts'
import * as schemas from '../../schemas/requests/triage.ts'
import { answerOf } from '../../views/answer-of.ts'

const params = z.object({ id: requestRef })

/** What people do about a request that waits, without deciding it. */
export const triageRoutes = [
  route({
    method: 'post',
    path: '/v1/requests/:id/snooze',
    name: 'snoozeRequest',
    summary: 'Snooze a request',
    description:
      "Hide the request from the caller's list of pending requests until a given time, or until its deadline is near",
    access: { by: 'person' },
    params,
    body: schemas.snoozeBody,
    answers: { 200: { description: 'Snoozed, for the caller only', schema: schemas.snoozed } },
    problems: ['invalid_request', 'already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, body, caller }) => {
      const request = params.id
      const snoozed = await snoozeRequest(api.ctx, caller, { request, until: body.until })
      return { status: 200, body: answerOf(snoozed) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/hand-over',
    name: 'handOverRequest',
    summary: 'Hand over a request',
    description:
      "Ask a colleague who may decide the request to look at it. This changes nobody's rights",
    access: { by: 'personOrKey', scope: null },
    params,
    body: schemas.handOverBody,
    answers: { 200: { description: 'Handed over', schema: schemas.handedOver } },
    problems: [
      'invalid_request',
      'not_eligible',
      'tampered',
      'already_decided',
      'expired',
      'cancelled',
    ],
    // 403: the caller may not hand it over; 422: the colleague may not decide it.
    problemsAt: { 422: ['not_eligible'] },
    answer: async (api, { params, body, caller }) => {
      const request = params.id
      const handedOver = await handOverRequest(api.ctx, caller, { request, to: body.to })
      return { status: 200, body: answerOf(handedOver) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/nudge',
    name: 'nudgeRequest',
    summary: 'Nudge the approvers of a request',
    description:
      'Remind the people who can decide the request, once an hour. Only the starter of the run may do this, or for a request of a program the owner of its key and the person for whom it asks',
    access: { by: 'person' },
    params,
    body: emptyBody,
    answers: { 200: { description: 'How many people are reminded', schema: schemas.nudged } },
    problems: ['forbidden', 'rate_limited', 'already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, caller }) => ({
      status: 200,
      body: await nudgeRequest(api.ctx, caller, { request: params.id }),
    }),
  }),
]
