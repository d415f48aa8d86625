import { expect, test } from 'vitest'
import { personOfIdentity } from '#services/access/oidc/person-of-identity.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { syncPeople } from '#services/policy/sync-people.ts'
import { confirmSlackLink } from '#services/channels/slack/confirm-slack-link.ts'
import { hashToken } from '#services/access/token.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../harness/fixtures/people.ts'
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

const mallory = await addPerson(api.service.db, 'Mallory', [])

/** Has the address of one person stand in the row of another one. */
async function exchanging(
  [owner, taker]: readonly [string, string],
  work: () => Promise<void>,
): Promise<void> {
  const rename = (from: string, to: string) =>
    api.database.db
      .updateTable('person')
      .set({ email: `${to}@example.com` })
      .where('email', '=', `${from}@example.com`)
      .execute()
  await rename(owner, 'aside')
  await rename(taker, owner)
  try {
    await work()
  } finally {
    await rename(owner, taker)
    await rename('aside', owner)
  }
}

const activate = (): Promise<void> =>
  api.database.db
    .transaction()
    .execute((tx) => syncPeople({ tx, seals: api.service.ctx.seals }, api.service.policy.config))

test('nobody becomes a member by the address of somebody else, which stood in their row while a version was activated', async () => {
  const run = await addRun(api.service, { startedBy: api.people.linus })
  const { id, digest, revision } = await addRequest(api.service, run)
  const body = { decision: 'approve', digest, revision }
  const approve = ({ caller }: TestPerson) =>
    decideRequest(api.service.ctx, caller, { request: id, body })
  await exchanging(['grace', 'mallory'], activate)
  const { code } = await refusal(approve(mallory))
  expect(['not_eligible', 'not_found', 'tampered']).toContain(code)
  await activate()
  expect(await approve(api.people.grace)).toMatchObject({ state: 'approved' })
})

test('an account at the provider is bound to nobody in whose row somebody wrote its address', async () => {
  const identity = {
    issuer: 'https://provider.example',
    subject: 'of-edsger',
    email: 'edsger@example.com',
    refusal: null,
    name: null,
    groups: [],
  }
  const { ctx, policy } = api.service
  const bind = () =>
    api.database.db
      .transaction()
      .execute((tx) => personOfIdentity({ tx, seals: ctx.seals }, policy.config, identity))
  await exchanging(['edsger', 'mallory'], async () => {
    expect(await bind()).toBe('unknown_person')
  })
  expect(await bind()).toMatchObject({ id: api.people.edsger.id })
})
