import { createECDH } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { personOfIdentity } from '#services/access/oidc/person-of-identity.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { syncPeople } from '#services/policy/sync-people.ts'
import { byVisitor } from '#services/core/authority.ts'
import { inUnitOfWork } from '#services/core/unit-of-work.ts'
import { findPushTarget } from '#services/channels/push/push-subscription.ts'
import { confirmSlackLink } from '#services/channels/slack/confirm-slack-link.ts'
import { offerSlackLink } from '#services/channels/slack/offer-slack-link.ts'
import { hashToken } from '#services/access/token.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../harness/fixtures/people.ts'
import { refusal } from '../../harness/fixtures/refusal.ts'
import { softwarePasskey } from '../../harness/fixtures/keys/software-passkey.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import { rowOf, setRows } from '../../harness/fixtures/rows.ts'

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
    { expires_at: new Date(Date.now() + 864e6) },
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

test('SQL does not lengthen the life of a challenge, nor that of a code for Slack', async () => {
  const { db } = api.database
  const { ctx } = api.service
  const passkey = softwarePasskey()
  const creation = (await grace.post('/v1/credentials/options')).body
  const registration = { name: 'Key', response: passkey.create(creation) }
  expect((await grace.post('/v1/credentials', registration)).status).toBe(201)
  const options = (await api.ask('/v1/auth/passkey/options', { method: 'POST', body: {} })).body
  await db.updateTable('passkey_challenge').set({ expires_at: soon() }).execute()
  const body = { response: passkey.get(options) }
  expect((await api.ask('/v1/auth/passkey', { method: 'POST', body })).status).toBe(401)

  const user = { team: 'T1', userId: 'U1', email: 'grace@example.com' }
  const code = await offerSlackLink(ctx, user)
  await db.updateTable('slack_link_code').set({ expires_at: soon() }).execute()
  const linked = confirmSlackLink(ctx, api.people.grace.caller, { code })
  expect((await refusal(linked)).code).toBe('not_found')
})

test('a used challenge, a proposal of a key that was withdrawn and a removed device stay so when their rows are restored', async () => {
  const { db } = api.database
  /** Carries out an act, and puts back the rows of a table that it removed. */
  async function puttingBack<T>(table: string, act: () => Promise<T>): Promise<T> {
    const name = sql.id(table)
    const { rows } = await sql<{ row: object }>`select to_jsonb(r) as row from ${name} r`.execute(
      db,
    )
    const done = await act()
    for (const { row } of rows) {
      await sql`insert into ${name} select * from
        jsonb_populate_record(null::${name}, ${JSON.stringify(row)}::jsonb)
        on conflict do nothing`.execute(db)
    }
    return done
  }
  const passkey = softwarePasskey()
  const creation = (await grace.post('/v1/credentials/options')).body
  const registration = { name: 'Phone', response: passkey.create(creation, { counter: 0 }) }
  expect((await grace.post('/v1/credentials', registration)).status).toBe(201)
  const options = (await api.ask('/v1/auth/passkey/options', { method: 'POST', body: {} })).body
  const body = { response: passkey.get(options, { counter: 0 }) }
  const signIn = () => api.ask('/v1/auth/passkey', { method: 'POST', body })
  expect((await puttingBack('passkey_challenge', signIn)).status).toBe(200)
  expect((await signIn()).status).toBe(401)

  for (const end of ['claimed', 'declined']) {
    const proposal = { name: end, scopes: ['runs:read'], owner: 'grace@example.com' }
    const path = `/v1/key-proposals/${(await olga.post('/v1/keys', proposal)).body.id}`
    const claim = () => grace.post(`${path}/claim`)
    const act = end === 'claimed' ? claim : () => grace.delete(path)
    expect((await puttingBack('api_key_proposal', act)).status).toBeLessThan(300)
    expect(await claim(), end).toMatchObject({ status: 409, body: { code: 'tampered' } })
  }

  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url')
  const keys = { p256dh, auth: 'AAAAAAAAAAAAAAAAAAAAAA' }
  const subscription = { endpoint: 'https://1.1.1.1/lost-phone', keys }
  const device = await grace.post('/v1/me/push-subscriptions', subscription)
  expect(device.status).toBe(201)
  const times = { idleMs: 3_600_000, absoluteMs: 3_600_000 }
  const target = () => findPushTarget(api.service.ctx, times, device.body.id)
  expect(await target()).toMatchObject({ endpoint: subscription.endpoint })
  const removal = { method: 'DELETE', headers: grace.headers, body: { id: device.body.id } }
  await puttingBack('push_subscription', () => api.ask('/v1/me/push-subscriptions', removal))
  expect(await target()).toBe('a row without a valid seal')
})

const mallory = await addPerson(api.service.db, 'Mallory', [])

/** Has the address of one person stand in the row of another one. */
async function exchanging(
  [owner, taker]: readonly [string, string],
  work: () => Promise<void>,
): Promise<void> {
  const rename = (from: string, to: string) =>
    setRows(
      api.database.db,
      'person',
      { email: `${from}@example.com` },
      { email: `${to}@example.com` },
    )
  await rename(owner, 'aside')
  await rename(taker, owner)
  try {
    await work()
  } finally {
    await rename(owner, taker)
    await rename('aside', owner)
  }
}

const activate = (config = api.service.policy.config): Promise<void> =>
  inUnitOfWork(api.service.ctx, byVisitor('host', 'system'), (unit) => syncPeople(unit, config))

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

// Rules: product.md 18; security.md 29
test('a person who left a team decides nothing for it when their row is put back, and decides again after joining it again', async () => {
  const { db } = api.database
  const { grace: leaving } = api.people
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const { id, digest, revision } = await addRequest(api.service, run)
  const approve = () => grace.post(`/v1/requests/${id}/decisions`, approvalOf)
  const approvalOf = { decision: 'approve', digest, revision }
  const rows = db.selectFrom('membership').selectAll().where('person_id', '=', leaving.id)
  const { config } = api.service.policy
  const platform = config.teams.get('platform')
  if (platform === undefined) throw new Error('There is no team platform')
  const members = platform.members.filter((email) => email !== 'grace@example.com')
  await activate()
  const before = await rows.execute()
  await activate()
  expect(await rows.execute()).toEqual(before)
  // A row of an earlier version has no id.
  for (const forms of [before, before.map((row) => ({ ...row, id: null }))]) {
    const sealed = forms.map((row) => ({
      ...row,
      seal: api.service.ctx.seals.of('membership', row),
    }))
    await db.deleteFrom('membership').where('person_id', '=', leaving.id).execute()
    await db.insertInto('membership').values(sealed).execute()
    await activate({
      ...config,
      teams: new Map([...config.teams, ['platform', { ...platform, members }]]),
    })
    expect((await approve()).status).toBe(404)
    await db.insertInto('membership').values(sealed).execute()
    expect(await approve()).toMatchObject({ status: 409, body: { which: 'membership' } })
    await activate()
  }
  expect((await approve()).status).toBe(200)
})

// Rules: product.md 17; security.md 29
test('a person with a new address decides nothing that they are behind under an earlier one', async () => {
  const run = await addRun(api.service, { startedBy: api.people.linus })
  const { id, digest, revision } = await addRequest(api.service, run)
  const { config } = api.service.policy
  const platform = config.teams.get('platform')
  if (platform === undefined) throw new Error('There is no team platform')
  const renamed = 'torvalds@example.com'
  const naming = (formerly: readonly string[]) => {
    const others = config.people.filter(({ email }) => email !== 'linus@example.com')
    const people = [...others, { email: renamed, name: 'Torvalds', formerly }]
    const members = [...platform.members.filter((email) => email !== 'linus@example.com'), renamed]
    const teams = new Map([...config.teams, ['platform', { ...platform, members }]])
    return activate({ ...config, people, teams })
  }
  const renamedRow = () => rowOf(api.database.db, 'person', { email: renamed }, 'id', 'other_ids')
  await naming([])
  const torvalds = await api.signIn({ ...api.people.linus, name: 'Torvalds' })
  const item = async () => (await torvalds.get(`/v1/requests/${id}`)).body
  const listed = async () => (await torvalds.get('/v1/requests?mine=true')).text.includes(id)
  // Two rows are two people until somebody says that they are not.
  expect(await item()).toMatchObject({ eligibility: { canDecide: true } })
  expect(await listed()).toBe(true)
  await naming(['linus@example.com'])
  expect(await renamedRow()).toMatchObject({ other_ids: [api.people.linus.id] })
  expect(await item()).toMatchObject({ eligibility: { canDecide: false } })
  expect(await listed()).toBe(false)
  const approval = { decision: 'approve', digest, revision }
  const decide = () => torvalds.post(`/v1/requests/${id}/decisions`, approval)
  const refused = { status: 403, body: { code: 'not_eligible', which: 'behind_request' } }
  expect(await decide()).toMatchObject(refused)
  const edit = { input: { path: 'notes/1.md', content: 'x' }, digest, revision }
  expect(await torvalds.post(`/v1/requests/${id}/revisions`, edit)).toMatchObject(refused)
  const handed = await grace.post(`/v1/requests/${id}/hand-over`, { to: renamed })
  expect(handed).toMatchObject({ status: 422, body: { code: 'not_eligible' } })
  // If SQL removes the link, the seal of the row of the person no longer holds.
  const row = api.database.db.updateTable('person').where('email', '=', renamed)
  await row.set({ other_ids: null }).execute()
  expect((await decide()).status).toBe(401)
  await row.set({ other_ids: [api.people.linus.id] }).execute()
  expect(await decide()).toMatchObject(refused)
  expect((await grace.post(`/v1/requests/${id}/decisions`, approval)).status).toBe(200)
  await activate()
  expect(await renamedRow()).toMatchObject({ other_ids: null })
})

test('nobody is disabled, signed out, erased or loses an account in place of another person, whose address stood in their row', async () => {
  await exchanging(['grace', 'mallory'], async () => {
    for (const act of ['disable', 'unlink']) {
      const answer = await olga.post(`/v1/people/grace@example.com/${act}`)
      expect(answer).toMatchObject({ status: 409, body: { code: 'tampered', which: 'person' } })
    }
    for (const [path, body] of [
      ['/v1/sessions/end-others', { person: 'grace@example.com' }],
      ['/v1/people/grace@example.com/erasures', { why: 'she asked' }],
    ] as const) {
      expect(await olga.post(path, body)).toMatchObject({ status: 409, body: { code: 'tampered' } })
    }
  })
  const rows = api.database.db.selectFrom('person').select('disabled_at')
  expect(await rows.where('disabled_at', 'is not', null).execute()).toEqual([])
  await addPerson(api.service.db, 'Mordred', [])
  // Disabling a person twice changes nothing.
  for (const status of [200, 200]) {
    expect((await olga.post('/v1/people/mordred@example.com/disable')).status).toBe(status)
  }
  await exchanging(['edsger', 'mordred'], async () => {
    const answer = await olga.post('/v1/people/edsger@example.com/disable')
    expect(answer).toMatchObject({ status: 409, body: { code: 'tampered' } })
  })
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
