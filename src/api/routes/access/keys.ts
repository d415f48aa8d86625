import { z } from 'zod'
import { Problem } from '../../../domain/problem.ts'
import { createApiKey } from '../../../services/access/create-api-key.ts'
import { listApiKeys } from '../../../services/access/list-api-keys.ts'
import { rotateApiKey } from '../../../services/access/rotate-api-key.ts'
import { revokeApiKey } from '../../../services/access/revoke-api-key.ts'
import { route, type Route } from '../../route.ts'
import * as schemas from '../../schemas/access/auth.ts'
import { pageQuery, revoked } from '../../schemas/common.ts'
import { apiKeyView } from '../../views/person-view.ts'
import { withoutUndefined } from '../../without-undefined.ts'

const keyParams = z.object({ id: z.string().regex(/^[0-9a-f]{16}$/, 'is not the id of a key') })

/** Keys of machines. A key cannot make, list or revoke keys. */
export const keyRoutes: Route[] = [
  route({
    method: 'post',
    path: '/v1/keys',
    summary: 'Create an API key; it is shown this once',
    access: { by: 'person' },
    body: schemas.createKeyBody,
    answers: { 201: { description: 'The key', schema: schemas.createdKey } },
    problems: ['not_found'],
    answer: async (api, { body, caller, identity }) => {
      if (identity.kind !== 'session') throw new Problem('forbidden', 'Only people make keys')
      const created = await createApiKey(api.ctx, caller, {
        name: body.name,
        ownerEmail: body.owner ?? identity.session.person.email,
        scopes: body.scopes,
        expiresAt: body.expiresAt === undefined ? null : new Date(body.expiresAt),
      })
      return { status: 201, body: { ...apiKeyView(created), key: created.key } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/keys',
    summary: "One's own API keys; with the right activatePolicy everybody's",
    access: { by: 'person' },
    query: pageQuery,
    answers: { 200: { description: 'A page of keys, newest first', schema: schemas.apiKeyList } },
    answer: async (api, { query, caller }) => {
      const page = await listApiKeys(api.ctx, caller, withoutUndefined(query))
      const items = page.items.map(apiKeyView)
      return { status: 200, body: { items, nextCursor: page.nextCursor } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/keys/:id/rotate',
    summary: 'Give an API key a new secret, shown this once; the one before works on for a while',
    access: { by: 'person' },
    params: keyParams,
    body: schemas.rotateKeyBody,
    answers: { 200: { description: 'The key as it is from now on', schema: schemas.rotatedKey } },
    problems: ['not_found', 'conflict'],
    answer: async (api, { params, body, caller }) => {
      const overlapMs = body.overlapSeconds * 1000
      const rotated = await rotateApiKey(api.ctx, caller, { id: params.id, overlapMs })
      return {
        status: 200,
        body: {
          id: params.id,
          key: rotated.key,
          expiresAt: rotated.expiresAt?.toISOString() ?? null,
          previousUntil: rotated.previousUntil?.toISOString() ?? null,
        },
      }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/keys/:id',
    summary: 'Revoke an API key at once',
    access: { by: 'person' },
    params: keyParams,
    answers: { 200: { description: 'Revoked', schema: revoked } },
    answer: async (api, { params, caller }) => {
      await revokeApiKey(api.ctx, caller, params)
      return { status: 200, body: { revoked: true } }
    },
  }),
]
