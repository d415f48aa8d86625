import { z } from 'zod'
import { eraseRequestContents } from '#services/erasure/erase-contents.ts'
import { erasePersonWords, eraseRequestWords } from '#services/erasure/erase-words.ts'
import { route } from '../../route/route.ts'
import { email, requestRef } from '../../schemas/common.ts'
import * as schemas from '../../schemas/requests/erasure.ts'
import type { ErasedView } from '../../schemas/requests/erasure.ts'

const none: ErasedView = { texts: 0, requests: 0, contents: 0, bytes: 0, kept: 0 }

/** Erases people's words and calls' contents; the trail keeps commitments (audit.md, Form). */
export const erasureRoutes = [
  route({
    method: 'post',
    path: '/v1/requests/:id/erasures',
    name: 'eraseRequest',
    summary: "Erase a request's contents",
    description:
      'Erase permanently what people wrote about a request, or the contents of its call (right activatePolicy)',
    access: { by: 'person' },
    params: z.object({ id: requestRef }),
    body: schemas.requestErasure,
    answers: {
      200: { description: 'Erased. A second call erases nothing', schema: schemas.erased },
    },
    problems: ['not_found', 'forbidden', 'conflict', 'tampered'],
    answer: async (api, { params, body, caller }) => {
      const { what, ...selection } = { request: params.id, ...body }
      const erased =
        what === 'contents'
          ? await eraseRequestContents(api.ctx, caller, selection)
          : await eraseRequestWords(api.ctx, caller, selection)
      return { status: 200, body: { ...none, ...erased } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/people/:email/erasures',
    name: 'erasePerson',
    summary: "Erase a person's words",
    description: 'Erase permanently what a person wrote about any request (right activatePolicy)',
    access: { by: 'person' },
    params: z.object({ email: email.describe('E-mail address of a person') }),
    body: schemas.personErasure,
    answers: {
      200: { description: 'Erased. A second call erases nothing', schema: schemas.erased },
    },
    problems: ['not_found', 'forbidden', 'tampered'],
    answer: async (api, { params, body, caller }) => {
      const input = { person: params.email, why: body.why }
      return { status: 200, body: { ...none, ...(await erasePersonWords(api.ctx, caller, input)) } }
    },
  }),
]
