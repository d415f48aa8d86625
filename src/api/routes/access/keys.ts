import { z } from 'zod'
import { Problem } from '#domain/problem.ts'
import { createApiKey } from '#services/access/api-keys/create-api-key.ts'
import { claimKeyProposal } from '#services/access/api-keys/claim-key-proposal.ts'
import { listKeyProposals } from '#services/access/api-keys/list-key-proposals.ts'
import { proposeApiKey } from '#services/access/api-keys/propose-api-key.ts'
import { withdrawKeyProposal } from '#services/access/api-keys/withdraw-key-proposal.ts'
import { listApiKeys } from '#services/access/api-keys/list-api-keys.ts'
import { rotateApiKey } from '#services/access/api-keys/rotate-api-key.ts'
import { revokeApiKey } from '#services/access/api-keys/revoke-api-key.ts'
import { pageView } from '../../views/page-view.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/access/keys.ts'
import { emptyBody, id, pageQuery, revoked, withdrawn } from '../../schemas/common.ts'
import { keyProposalView } from '../../views/access-view.ts'
import { answerOf } from '../../views/answer-of.ts'

const keyParams = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'is not the id of a key')
    .describe('Id of an API key'),
})

/** Keys of machines. A key cannot make, list or revoke keys. */
export const keyRoutes = [
  route({
    method: 'post',
    path: '/v1/keys',
    name: 'createKey',
    summary: 'Create an API key',
    description:
      'Create an API key for the caller; its secret is returned only here. A key for another person becomes a proposal (right managePeople)',
    access: { by: 'person' },
    body: schemas.createKeyBody,
    answers: {
      201: { description: 'The key', schema: schemas.createdKey },
      202: { description: 'Proposed: its owner has to claim it', schema: schemas.keyProposal },
    },
    problems: ['not_found'],
    answer: async (api, { body, caller, identity }) => {
      if (identity.kind !== 'session') throw new Problem('forbidden', 'Only people can create keys')
      const { name, scopes, owner } = body
      const expiresAt = body.expiresAt === undefined ? null : new Date(body.expiresAt)
      if (owner !== undefined && owner !== identity.session.person.email) {
        const input = { name, scopes, expiresAt, ownerEmail: owner }
        const proposal = await proposeApiKey(api.ctx, caller, input)
        const by = proposal.proposedBy.name
        api.signInMails?.notify(proposal.owner.email, { what: 'key_proposed', name, by })
        return { status: 202, body: keyProposalView(proposal) }
      }
      const created = await createApiKey(api.ctx, caller, { name, scopes, expiresAt })
      return { status: 201, body: { ...answerOf(created) } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/keys',
    name: 'listKeys',
    summary: 'List API keys',
    description: "The caller's own API keys; with the right managePeople, the keys of everybody",
    access: { by: 'person' },
    query: pageQuery,
    answers: { 200: { description: 'A page of keys, newest first', schema: schemas.apiKeyList } },
    answer: async (api, { query, caller }) => {
      const page = await listApiKeys(api.ctx, caller, query)
      return { status: 200, body: answerOf(page) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/keys/:id/rotate',
    name: 'rotateKey',
    summary: 'Rotate an API key',
    description:
      "Give one of the caller's own API keys a new secret, which is returned only here. The previous secret stays valid for a while",
    access: { by: 'person' },
    params: keyParams,
    body: schemas.rotateKeyBody,
    answers: { 200: { description: 'The key with its new secret', schema: schemas.rotatedKey } },
    problems: ['not_found', 'conflict'],
    answer: async (api, { params, body, caller }) => {
      const overlapMs = body.overlapSeconds * 1000
      const rotated = await rotateApiKey(api.ctx, caller, { id: params.id, overlapMs })
      return { status: 200, body: { id: params.id, ...answerOf(rotated) } }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/keys/:id',
    name: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'Revoke an API key at once',
    access: { by: 'person' },
    params: keyParams,
    answers: { 200: { description: 'Revoked', schema: revoked } },
    answer: async (api, { params, caller }) => {
      await revokeApiKey(api.ctx, caller, params)
      return { status: 200, body: { revoked: true } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/key-proposals',
    name: 'listKeyProposals',
    summary: 'List proposed API keys',
    description:
      "API keys that wait for their owner to claim them: the caller's; with the right managePeople, all",
    access: { by: 'person' },
    query: pageQuery,
    answers: {
      200: { description: 'A page of proposals, newest first', schema: schemas.keyProposalList },
    },
    answer: async (api, { query, caller }) => {
      const page = await listKeyProposals(api.ctx, caller, query)
      return { status: 200, body: pageView(page, keyProposalView) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/key-proposals/:id/claim',
    name: 'claimKey',
    summary: 'Claim a proposed API key',
    description:
      'Claim an API key that was proposed to the caller; its secret is returned only here',
    access: { by: 'person' },
    params: z.object({ id: id.describe('Id of a proposal') }),
    body: emptyBody,
    answers: { 201: { description: 'The key', schema: schemas.createdKey } },
    problems: ['forbidden', 'not_found', 'conflict'],
    answer: async (api, { params, caller }) => {
      const created = await claimKeyProposal(api.ctx, caller, params)
      return { status: 201, body: { ...answerOf(created) } }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/key-proposals/:id',
    name: 'declineKey',
    summary: 'Decline a proposed API key',
    description: 'Decline a proposed API key, or withdraw the proposal',
    access: { by: 'person' },
    params: z.object({ id: id.describe('Id of a proposal') }),
    answers: { 200: { description: 'Declined or withdrawn', schema: withdrawn } },
    problems: ['not_found'],
    answer: async (api, { params, caller }) => {
      await withdrawKeyProposal(api.ctx, caller, params)
      return { status: 200, body: { withdrawn: true } }
    },
  }),
]
