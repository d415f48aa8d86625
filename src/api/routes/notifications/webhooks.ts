import { listDeliveries } from '#services/channels/webhooks/list-deliveries.ts'
import { z } from 'zod'
import { listEndpoints } from '#services/channels/webhooks/list-endpoints.ts'
import { resendDelivery } from '#services/channels/webhooks/resend-delivery.ts'
import { answerOf } from '../../views/answer-of.ts'
import { requireEndpoint } from '../../route/known-names.ts'
import { route } from '../../route/route.ts'
import { emptyBody, id } from '../../schemas/common.ts'
import * as schemas from '../../schemas/notifications/webhooks.ts'

/** Notifications of other programs: endpoints, deliveries, and sending one again. */
export const webhookRoutes = [
  route({
    method: 'get',
    path: '/v1/webhooks',
    name: 'listWebhooks',
    summary: 'List webhooks',
    description: 'The endpoints of the policy in force (right readAudit or activatePolicy)',
    access: { by: 'person' },
    answers: { 200: { description: 'Each endpoint', schema: schemas.endpointList } },
    answer: async (api, { caller }) => {
      const endpoints = await listEndpoints(api.ctx, caller)
      return { status: 200, body: { items: endpoints } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/webhooks/deliveries',
    name: 'listDeliveries',
    summary: 'List deliveries',
    description:
      "Notifications and their delivery states (right readAudit or activatePolicy; mine=true: callbacks to programs with the caller's own keys)",
    access: { by: 'person' },
    query: schemas.deliveryQuery,
    answers: {
      200: { description: 'A page of deliveries, newest first', schema: schemas.deliveryList },
    },
    answer: async (api, { query, caller }) => {
      const { mine, ...listQuery } = query
      const filter = { ...listQuery, mine: mine === 'true' }
      const page = await listDeliveries(api.ctx, caller, filter)
      // Only for callers who may list them all: others would learn the names of endpoints.
      if (page.items.length === 0 && !filter.mine) await requireEndpoint(api, query.endpoint)
      return { status: 200, body: answerOf(page) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/webhooks/deliveries/:id/resend',
    name: 'resendDelivery',
    summary: 'Resend a delivery',
    description:
      "Send an ended delivery again, with the same id and body (right activatePolicy; none for callbacks to the caller's own programs)",
    access: { by: 'person' },
    params: z.object({ id: id.describe('Id of a delivery') }),
    body: emptyBody,
    answers: { 200: { description: 'It will be sent again', schema: schemas.resent } },
    problems: ['not_found', 'conflict'],
    answer: async (api, { params, caller }) => {
      await resendDelivery(api.ctx, caller, { deliveryId: params.id })
      return { status: 200, body: { resent: true } }
    },
  }),
]
