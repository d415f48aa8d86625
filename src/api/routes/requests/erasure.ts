import { z } from 'zod'
import { erasePersonWords, eraseRequestWords } from '../../../services/erasure/erase-words.ts'
import { route, type Route } from '../../route.ts'
import { email, requestRef } from '../../schemas/common.ts'
import * as schemas from '../../schemas/requests/erasure.ts'
import { withoutUndefined } from '../../without-undefined.ts'

/** Erasing what people wrote; the trail keeps the commitments (audit.md, Form). */
export const erasureRoutes: Route[] = [
  route({
    method: 'post',
    path: '/v1/requests/:id/erasures',
    summary: 'Erase what people wrote about a request, for good (right activatePolicy)',
    access: { by: 'person' },
    params: z.object({ id: requestRef }),
    body: schemas.requestErasure,
    answers: { 200: { description: 'Erased; again erases nothing', schema: schemas.erased } },
    problems: ['not_found', 'forbidden'],
    answer: async (api, { params, body, caller }) => {
      const asked = { request: params.id, ...withoutUndefined(body) }
      return { status: 200, body: await eraseRequestWords(api.ctx, caller, asked) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/erasures',
    summary: 'Erase what a person wrote about any request, for good (right activatePolicy)',
    access: { by: 'person' },
    params: z.object({ email }),
    body: schemas.personErasure,
    answers: { 200: { description: 'Erased; again erases nothing', schema: schemas.erased } },
    problems: ['not_found', 'forbidden'],
    answer: async (api, { params, body, caller }) => {
      const asked = { person: params.email, why: body.why }
      return { status: 200, body: await erasePersonWords(api.ctx, caller, asked) }
    },
  }),
]
