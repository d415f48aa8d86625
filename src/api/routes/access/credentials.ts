import { z } from 'zod'
import { Problem } from '../../../domain/problem.ts'
import { confirmCredential } from '../../../services/passkeys/confirm-credential.ts'
import { listCredentials } from '../../../services/passkeys/list-credentials.ts'
import {
  offerRegistration,
  registerCredential,
} from '../../../services/passkeys/register-credential.ts'
import { relyingPartyOf } from '../../../services/passkeys/relying-party.ts'
import { removeCredential } from '../../../services/passkeys/remove-credential.ts'
import { renameCredential } from '../../../services/passkeys/rename-credential.ts'
import type { Identity } from '../../identity.ts'
import { route, type Route } from '../../route.ts'
import { emptyBody, id } from '../../schemas/common.ts'
import * as schemas from '../../schemas/access/credentials.ts'
import type { Api } from '../../settings.ts'
import { credentialView } from '../../views/credential-view.ts'
import { withoutUndefined } from '../../without-undefined.ts'

const params = z.object({ id })
const access = { by: 'person' } as const

/** Passkeys of people (audit.md, Approver's signature). No API key registers, sees or confirms any. */
export const credentialRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/credentials',
    summary: "One's own passkeys; with the right activatePolicy everybody's, to confirm them",
    access,
    query: schemas.credentialsQuery,
    answers: {
      200: { description: 'A page of passkeys, newest first', schema: schemas.credentialList },
    },
    answer: async (api, { query, caller }) => {
      const page = await listCredentials(api.ctx, caller, withoutUndefined(query))
      const items = page.items.map(credentialView)
      return { status: 200, body: { items, nextCursor: page.nextCursor } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/options',
    summary:
      'Begin to register a passkey: what the browser asks an authenticator with, for five minutes',
    access,
    body: emptyBody,
    answers: { 200: { description: 'The options', schema: schemas.registrationOptions } },
    answer: async (api, { caller, identity }) => ({
      status: 200,
      body: await offerRegistration(api.ctx, caller, registering(api, identity)),
    }),
  }),
  route({
    method: 'post',
    path: '/v1/credentials',
    summary: 'Register a passkey; to sign decisions it waits for a second person',
    access,
    body: schemas.registerBody,
    answers: { 201: { description: 'Registered', schema: schemas.credential } },
    problems: ['conflict'],
    answer: async (api, { body, caller, identity }) => {
      const { name, response } = body
      const input = { ...registering(api, identity), name, response }
      const record = await registerCredential(api.ctx, caller, input)
      return { status: 201, body: credentialView(record) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/:id/rename',
    summary: "Name a passkey of one's own anew",
    access,
    params,
    body: schemas.renameBody,
    answers: { 200: { description: 'The passkey', schema: schemas.credential } },
    problems: ['not_found'],
    answer: async (api, { params: { id: credentialId }, body, caller }) => {
      const input = { id: credentialId, name: body.name }
      const record = await renameCredential(api.ctx, caller, input)
      return { status: 200, body: credentialView(record) }
    },
  }),
  route({
    method: 'post',
    path: '/v1/credentials/:id/confirm',
    summary: "Confirm that a passkey is its owner's (right activatePolicy, and never one's own)",
    access,
    params,
    body: emptyBody,
    answers: {
      200: { description: 'Confirmed: it signs decisions', schema: schemas.credential },
    },
    problems: ['not_found'],
    answer: async (api, { params: asked, caller }) => ({
      status: 200,
      body: credentialView(await confirmCredential(api.ctx, caller, asked)),
    }),
  }),
  route({
    method: 'delete',
    path: '/v1/credentials/:id',
    summary: "Remove a passkey at once; somebody else's with the right activatePolicy",
    access,
    params,
    answers: { 200: { description: 'Removed', schema: schemas.credentialRemoved } },
    problems: ['not_found'],
    answer: async (api, { params: asked, caller }) => {
      await removeCredential(api.ctx, caller, asked)
      return { status: 200, body: { removed: true } }
    },
  }),
]

function registering(api: Api, identity: Identity) {
  if (identity.kind !== 'session') throw new Problem('forbidden', 'Only people have passkeys')
  const { tokenHash: sessionHash } = identity.session
  return { sessionHash, relyingParty: relyingPartyOf(api.settings.publicUrl) }
}
