import { z } from 'zod'
import { listDeliveries } from '../../../services/webhooks/list-deliveries.ts'
import { listEndpoints } from '../../../services/webhooks/list-endpoints.ts'
import { resendDelivery } from '../../../services/webhooks/resend-delivery.ts'
import { route, type Route } from '../../route.ts'
import { emptyBody, id } from '../../schemas/common.ts'
import * as schemas from '../../schemas/notifications/webhooks.ts'
import { deliveryView } from '../../views/webhook-view.ts'
import { withoutUndefined } from '../../without-undefined.ts'

/** Programs that are told of requests: which, what became of it, and again. */
export const webhookRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/webhooks',
    summary: 'The endpoints of the policy in force (right readAudit or activatePolicy)',
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
    summary:
      "Notifications and what became of them (right readAudit or activatePolicy; mine=true: callbacks to programs with keys of one's own)",
    access: { by: 'person' },
    query: schemas.deliveryQuery,
    answers: {
      200: { description: 'A page of deliveries, newest first', schema: schemas.deliveryList },
    },
    answer: async (api, { query, caller }) => {
      const { mine, ...asked } = query
      const filter = { ...withoutUndefined(asked), mine: mine === 'true' }
      const page = await listDeliveries(api.ctx, caller, filter)
      const items = page.items.map(deliveryView)
      return { status: 200, body: { items, nextCursor: page.nextCursor } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/webhooks/deliveries/:id/resend',
    summary:
      "Send one that has ended again, with the same id and body (right activatePolicy; none for callbacks to one's own programs)",
    access: { by: 'person' },
    params: z.object({ id }),
    body: emptyBody,
    answers: { 200: { description: 'It is sent again', schema: schemas.resent } },
    problems: ['not_found', 'conflict'],
    answer: async (api, { params, caller }) => {
      await resendDelivery(api.ctx, caller, { deliveryId: params.id })
      return { status: 200, body: { resent: true } }
    },
  }),
]
