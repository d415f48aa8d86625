import { z } from 'zod'
import { Problem } from '#domain/problem.ts'
import { confirmCredential } from '#services/passkeys/confirm-credential.ts'
import { listCredentials } from '#services/passkeys/list-credentials.ts'
import { offerRegistration, registerCredential } from '#services/passkeys/register-credential.ts'
import { relyingPartyOf } from '#services/passkeys/relying-party.ts'
import { removeCredential } from '#services/passkeys/remove-credential.ts'
import { renameCredential } from '#services/passkeys/rename-credential.ts'
import type { Identity } from '../../identity/identity.ts'
import { route } from '../../route/route.ts'
import { emptyBody, id, removed } from '../../schemas/common.ts'
import * as schemas from '../../schemas/access/credentials.ts'
import type { Api } from '../../context/api.ts'
import { answerOf } from '../../views/answer-of.ts'

const params = z.object({ id: id.describe('Id of a passkey') })
const access = { by: 'person' } as const

/** Passkeys (audit.md, Approver's signature), which no API key registers, sees or confirms. */
export const credentialRoutes = [
  route({
    method: 'get',
    path: '/v1/credentials',
    name: 'listCredentials',
    summary: 'List passkeys',
    description:
      "The caller's own passkeys; with the right managePeople, the passkeys of everybody, to confirm them",
    access,
    query: schemas.credentialsQuery,
    answers: {
      200: { description: 'A page of passkeys, newest first', schema: schemas.credentialList },
    },
    answer: async (api, { query, caller }) => {
      const page = await listCredentials(api.ctx, caller, query)
      return { status: 200, body: answerOf(page) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/options',
    name: 'startCredential',
    summary: 'Start to register a passkey',
    description:
      'Return the options with which the browser creates a passkey; they are valid for five minutes',
    access,
    body: emptyBody,
    answers: { 200: { description: 'The options', schema: schemas.registrationOptions } },
    answer: async (api, { caller, identity }) => ({
      status: 200,
      body: await offerRegistration(api.ctx, caller, registrationOf(api, identity)),
    }),
  }),
  route({
    method: 'post',
    path: '/v1/credentials',
    name: 'registerCredential',
    summary: 'Register a passkey',
    description: 'Register a passkey. A second person has to confirm it before it signs decisions',
    access,
    body: schemas.registerBody,
    answers: { 201: { description: 'Registered', schema: schemas.credential } },
    problems: ['conflict'],
    answer: async (api, { body, caller, identity }) => {
      const { name, response } = body
      const input = { ...registrationOf(api, identity), name, response }
      const record = await registerCredential(api.ctx, caller, input)
      return { status: 201, body: answerOf(record) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/:id/rename',
    name: 'renameCredential',
    summary: 'Rename a passkey',
    description: "Rename one of the caller's own passkeys",
    access,
    params,
    body: schemas.renameBody,
    answers: { 200: { description: 'The passkey', schema: schemas.credential } },
    problems: ['not_found'],
    answer: async (api, { params: { id: credentialId }, body, caller }) => {
      const input = { id: credentialId, name: body.name }
      const record = await renameCredential(api.ctx, caller, input)
      return { status: 200, body: answerOf(record) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/:id/confirm',
    name: 'confirmCredential',
    summary: 'Confirm a passkey',
    description:
      'Confirm that a passkey belongs to its owner (right managePeople; nobody confirms their own)',
    access,
    params,
    body: emptyBody,
    answers: {
      200: { description: 'Confirmed: the passkey can sign decisions', schema: schemas.credential },
    },
    problems: ['not_found'],
    answer: async (api, { params, caller }) => ({
      status: 200,
      body: answerOf(await confirmCredential(api.ctx, caller, params)),
    }),
  }),
  route({
    method: 'delete',
    path: '/v1/credentials/:id',
    name: 'removeCredential',
    summary: 'Remove a passkey',
    description: "Remove a passkey at once. Removing another person's needs the right managePeople",
    access,
    params,
    answers: { 200: { description: 'Removed', schema: removed } },
    problems: ['not_found'],
    answer: async (api, { params, caller }) => {
      await removeCredential(api.ctx, caller, params)
      return { status: 200, body: { removed: true } }
    },
  }),
]

function registrationOf(api: Api, identity: Identity) {
  if (identity.kind !== 'session') throw new Problem('forbidden', 'Only people can have passkeys')
  const { tokenHash: sessionHash } = identity.session
  return { sessionHash, relyingParty: relyingPartyOf(api.settings.publicUrl) }
}
