import { expect, test } from 'vitest'
import { confirmSlackLink } from '#services/channels/slack/confirm-slack-link.ts'
import { hashToken } from '#services/access/token.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { refusal } from '../../harness/fixtures/refusal.ts'
import { softwarePasskey } from '../../harness/fixtures/keys/software-passkey.ts'
import { createApiWithActivators } from '../activating-operators.ts'

const api = disposeAfterTests(await createApiWithActivators())
const grace = await api.signIn(api.people.grace)
const olga = await api.signIn(api.people.olga)

const soon = (): Date => new Date(Date.now() + 60_000)

// Rules: security.md 29
test('a passkey signs nobody in by a challenge that was written into the database, such as one that its decision answered', async () => {
  const passkey = softwarePasskey()
  const options = (await grace.post('/v1/credentials/options')).body
  const made = { name: 'Laptop', response: passkey.create(options) }
  expect((await grace.post('/v1/credentials', made)).status).toBe(201)
  // Signatures of decisions are in the trail, whole.
  const challenge = 'the-sha-256-of-a-statement-that-grace-signed'
  const body = { response: passkey.get({ challenge }) }
  const { db } = api.database
  await db
    .insertInto('passkey_challenge')
    .values({ challenge, purpose: 'sign_in', expires_at: soon() })
    .execute()
  const signIn = () => api.ask('/v1/auth/passkey', { method: 'POST', body })
  expect((await signIn()).status).toBe(401)
  await api.ask('/v1/auth/passkey/options', { method: 'POST', body: {} })
  await db.updateTable('passkey_challenge').set({ challenge }).execute()
  expect((await signIn()).status).toBe(401)
})

test('a proposed key is not claimed with other scopes, and of nobody else, than it was proposed with', async () => {
  const { db } = api.database
  const proposal = { name: 'robot', scopes: ['runs:read'], owner: 'grace@example.com' }
  for (const change of [
    { scopes: ['runs:read', 'runs:write', 'audit:read'] },
    { proposed_by: api.people.grace.id },
  ]) {
    const { status, body } = await olga.post('/v1/keys', proposal)
    expect(status, JSON.stringify(body)).toBe(202)
    await db.updateTable('api_key_proposal').set(change).where('id', '=', body.id).execute()
    const claimed = await grace.post(`/v1/key-proposals/${body.id}/claim`)
    expect(claimed).toMatchObject({ status: 409, body: { code: 'tampered' } })
  }
})

test('a person is linked with no user of Slack by a code that was written into the database', async () => {
  const code = 'a-code-that-nobody-offered'
  await api.database.db
    .insertInto('slack_link_code')
    .values({
      code_hash: hashToken(code),
      team: 'T1',
      user_id: 'UEVIL',
      email: 'grace@example.com',
      expires_at: soon(),
    })
    .execute()
  const { ctx } = api.service
  const linked = confirmSlackLink(ctx, api.people.grace.caller, { code })
  expect((await refusal(linked)).code).toBe('not_found')
})
