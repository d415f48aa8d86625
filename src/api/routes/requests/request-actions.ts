import { z } from 'zod'
import { extendRequest } from '#services/requests/extend-request.ts'
import { revokePermit } from '#services/permits/revoke-permit.ts'
import { settleOutcome } from '#services/decisions/settle-outcome.ts'
import { answerQuestion } from '#services/decisions/answer-question.ts'
import { claimRequest, releaseClaim } from '#services/requests/claim-request.ts'
import { editComment, removeComment } from '#services/requests/change-comment.ts'
import { commentRequest } from '#services/requests/comment-request.ts'
import { revealSecret } from '#services/requests/detail/reveal-secret.ts'
import { idempotencyHeader, idempotencyKeyOf } from '../../route/preferences.ts'
import { route } from '../../route/route.ts'
import { emptyBody, id, removed, requestRef, revoked, revealed } from '../../schemas/common.ts'
import { answerOf } from '../../views/answer-of.ts'
import * as schemas from '../../schemas/requests/request-actions.ts'
import { commentView } from '../../schemas/requests/comments.ts'
import { claimView } from '../../schemas/requests/request-parts.ts'

/** Any key may call: the verbs refuse machines and record it (product.md 19). */
const access = { by: 'personOrKey', scope: null } as const
const params = z.object({ id: requestRef })
const commentParams = z.object({
  id: requestRef,
  commentId: id.describe('Id of a comment on the request'),
})

/** Actions of the queue's people on a request besides decisions. */
export const requestActionRoutes = [
  route({
    method: 'post',
    path: '/v1/requests/:id/claim',
    name: 'claimRequest',
    summary: 'Claim a request',
    description:
      'Tell colleagues that the caller is looking at a request. A claim ends by itself and prevents nobody from deciding',
    access,
    params,
    body: emptyBody,
    answers: { 200: { description: 'Claimed', schema: claimView } },
    problems: ['not_eligible', 'tampered', 'claimed', 'already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, caller }) => {
      const claim = await claimRequest(api.ctx, caller, { request: params.id })
      return { status: 200, body: answerOf(claim) }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/requests/:id/claim',
    name: 'releaseRequest',
    summary: 'Release a request',
    description: "End the caller's own claim",
    access,
    params,
    answers: { 200: { description: 'Released', schema: schemas.released } },
    problems: ['not_eligible', 'tampered', 'claimed'],
    answer: async (api, { params, caller }) => {
      await releaseClaim(api.ctx, caller, { request: params.id })
      return { status: 200, body: { released: true } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/comments',
    name: 'commentRequest',
    summary: 'Comment on a request',
    description: 'Add a comment for the people of the queue, at most 100 of one person',
    access,
    params,
    body: schemas.commentBody,
    answers: { 201: { description: 'The comment', schema: commentView } },
    problems: ['not_eligible', 'tampered', 'conflict'],
    answer: async (api, { params, body, caller }) => {
      const comment = await commentRequest(api.ctx, caller, {
        request: params.id,
        ...body,
      })
      return { status: 201, body: answerOf(comment) }
    },
  }),
  route({
    method: 'put',
    path: '/v1/requests/:id/comments/:commentId',
    name: 'editComment',
    summary: 'Edit a comment',
    description: "Replace the text of the caller's own comment on a pending request",
    access,
    params: commentParams,
    body: schemas.editCommentBody,
    answers: { 200: { description: 'Edited', schema: commentView } },
    problems: ['not_eligible', 'tampered', 'forbidden', 'already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, body, caller }) => {
      const { id: request, commentId: comment } = params
      const edited = await editComment(api.ctx, caller, { request, comment, text: body.text })
      return { status: 200, body: answerOf(edited) }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/requests/:id/comments/:commentId',
    name: 'removeComment',
    summary: 'Remove a comment',
    description: "Remove the caller's own comment on a pending request",
    access,
    params: commentParams,
    answers: { 200: { description: 'Removed', schema: removed } },
    problems: ['not_eligible', 'tampered', 'forbidden', 'already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, caller }) => {
      const { id: request, commentId: comment } = params
      await removeComment(api.ctx, caller, { request, comment })
      return { status: 200, body: { removed: true } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/reveals',
    name: 'recordRequestReveal',
    summary: 'Record a revealed value',
    description: 'Record that the caller reveals a masked value of the request',
    access: { by: 'personOrKey', scope: 'requests:read' },
    params,
    body: schemas.revealBody,
    answers: { 200: { description: 'Recorded: the client may show the value', schema: revealed } },
    answer: async (api, { params, body, caller }) => {
      await revealSecret(api.ctx, caller, { request: params.id, ...body })
      return { status: 200, body: { revealed: true } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/revoke',
    name: 'revokeApproval',
    summary: 'Revoke an approval',
    description: 'Revoke an approval before its call has started',
    access,
    params,
    body: schemas.revokeBody,
    answers: { 200: { description: 'Revoked', schema: revoked } },
    problems: ['not_eligible', 'tampered', 'already_started', 'conflict'],
    answer: async (api, { params, body, caller }) => {
      await revokePermit(api.ctx, caller, { request: params.id, reason: body.reason })
      return { status: 200, body: { revoked: true } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/extend',
    name: 'extendRequest',
    summary: 'Extend a deadline',
    description: 'Move the deadline of a request to a later time',
    access,
    params,
    body: schemas.extendBody,
    answers: { 200: { description: 'Extended', schema: schemas.extended } },
    problems: ['not_eligible', 'tampered', 'already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, body, caller }) => {
      const extended = await extendRequest(api.ctx, caller, {
        request: params.id,
        expiresAt: body.expiresAt,
      })
      return { status: 200, body: answerOf(extended) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/answer',
    name: 'answerQuestion',
    summary: 'Answer a question',
    description:
      'Answer a question of a run (kind question). The answer becomes the result of its call',
    access,
    params,
    body: schemas.answerBody,
    headers: z.object(idempotencyHeader),
    answers: { 200: { description: 'Recorded durably', schema: schemas.answered } },
    problems: [
      'not_eligible',
      'tampered',
      'already_decided',
      'expired',
      'cancelled',
      'idempotency_key_reused',
    ],
    answer: async (api, { params, body, caller, request }) => {
      const answered = await answerQuestion(api.ctx, caller, {
        request: params.id,
        text: body.text,
        ...idempotencyKeyOf(request),
      })
      return { status: 200, body: answered }
    },
  }),
  route({
    method: 'post',
    path: '/v1/requests/:id/settle',
    name: 'settleOutcome',
    summary: 'Settle an outcome',
    description: 'State whether a call with an unknown outcome took effect (kind outcome_check)',
    access,
    params,
    body: schemas.settleBody,
    answers: { 200: { description: 'Settled', schema: schemas.settled } },
    problems: ['not_eligible', 'tampered', 'conflict', 'already_decided', 'expired', 'cancelled'],
    answer: async (api, { params, body, caller }) => {
      const result = await settleOutcome(api.ctx, caller, { request: params.id, ...body })
      return { status: 200, body: result }
    },
  }),
]
