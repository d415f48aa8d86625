import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { addPerson } from '../../harness/fixtures/people.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import { createTestApi, type Client } from '../test-api.ts'
import { trailOf } from '../../harness/fixtures/trail.ts'

const api = disposeAfterTests(
  await createApiWithActivators({ settings: { hostToken: 'the-token-of-this-host' } }),
)
const olga = await api.signIn(api.people.olga)

test('a link signs in by POST only', async () => {
  const grace = await api.signIn(api.people.grace)
  const made = await grace.post('/v1/people/grace@example.com/link')
  expect(made.status).toBe(201)
  const url = new URL(made.body.url)
  expect(url.search).toBe('')
  const token = new URLSearchParams(url.hash.slice(1)).get('link')
  expect((await api.ask(`/v1/auth/link?token=${token}`)).status).toBe(405)
  const signedIn = await api.ask('/v1/auth/link', { method: 'POST', body: { token } })
  expect(signedIn.body.person.name).toBe('Grace')
})

test('nobody else makes links or disables anybody', async () => {
  const grace = await api.signIn(api.people.grace)
  for (const path of ['/v1/people/olga@example.com/link', '/v1/people/olga@example.com/disable']) {
    expect(await grace.post(path)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  }
})

test('somebody on the host makes a link with its token, in every profile; nobody else does', async () => {
  const ask = (token: string) =>
    api.ask('/v1/auth/host-link', { method: 'POST', body: { email: 'grace@example.com', token } })
  expect(await ask('a guess')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  expect(await ask('')).toMatchObject({ status: 401 })
  const made = await ask('the-token-of-this-host')
  expect(made.status).toBe(201)
  const token = new URLSearchParams(new URL(made.body.url).hash.slice(1)).get('link')
  const signedIn = await api.ask('/v1/auth/link', { method: 'POST', body: { token } })
  expect(signedIn.body.person.name).toBe('Grace')
  await using bare = await createTestApi()
  const reply = await bare.ask('/v1/auth/host-link', {
    method: 'POST',
    body: { email: 'grace@example.com', token: 'undefined' },
  })
  expect(reply.status).toBe(401)
})

test('a person makes a link for their own phone', async () => {
  const grace = await api.signIn(api.people.grace)
  expect((await grace.post('/v1/people/grace@example.com/link')).status).toBe(201)
})

test('a disabled person is out at once: sessions, links and keys', async () => {
  const linus = await api.signIn(api.people.linus)
  const { key } = (await linus.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })).body
  const { url } = (await linus.post('/v1/people/linus@example.com/link')).body
  const rowOfLinus = async (client: Client) => {
    const people = await client.get('/v1/people')
    return people.body.items.find((person: { name: string }) => person.name === 'Linus')
  }
  // Who manages people reads what it would end, and nobody else does.
  expect((await rowOfLinus(linus)).access).toBeNull()
  expect((await rowOfLinus(olga)).access).toEqual({
    sessions: 1,
    lastSeenAt: expect.any(String),
    passkeys: 0,
    keys: 1,
  })
  expect((await olga.post('/v1/people/linus@example.com/disable')).status).toBe(200)
  expect((await linus.get('/v1/me')).status).toBe(401)
  expect((await api.ask('/v1/me', { headers: { authorization: `Bearer ${key}` } })).status).toBe(
    401,
  )
  const token = new URLSearchParams(new URL(url).hash.slice(1)).get('link')
  expect((await api.ask('/v1/auth/link', { method: 'POST', body: { token } })).status).toBe(401)
  const { disabledAt, access } = await rowOfLinus(olga)
  expect(disabledAt).not.toBeNull()
  expect(access).toEqual({ sessions: 0, lastSeenAt: null, passkeys: 0, keys: 0 })
})

// Rules: product.md 18
test('a person who is disabled in the middle of a quorum loses their vote, decides no more, and the trail says what ended', async () => {
  const quorum = { any: [[{ team: 'platform', count: 2 }]] }
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const request = await addRequest(api.service, run, { quorum })
  const approve = (client: Client) =>
    client.post(`/v1/requests/${request.id}/decisions`, {
      decision: 'approve',
      digest: request.digest,
      revision: 1,
    })
  const margaret = await addPerson(api.service.db, 'Margaret', ['platform'])
  const hers = await api.signIn(margaret)
  const robot = await hers.post('/v1/keys', { name: 'robot', scopes: ['requests:read'] })
  expect((await approve(hers)).body).toMatchObject({ state: 'pending' })
  expect((await olga.post('/v1/people/margaret@example.com/disable')).status).toBe(200)
  expect((await approve(hers)).status).toBe(401)
  const headers = { authorization: `Bearer ${robot.body.key}` }
  expect((await api.ask('/v1/requests', { headers })).status).toBe(401)
  const grace = await api.signIn(api.people.grace)
  expect((await approve(grace)).body).toMatchObject({
    state: 'pending',
    quorum: { missing: [{ team: 'platform', count: 1 }] },
  })
  const events = await trailOf(api.service.db, {}, 'session.ended', 'key.revoked')
  const ended = events.map(({ detail }) => detail)
  expect(ended).toContainEqual(
    expect.objectContaining({ personId: margaret.id, why: 'person_disabled' }),
  )
  expect(ended).toContainEqual({ keyId: robot.body.id, ownerId: margaret.id })
})

test('the last person who may manage people does not disable themselves; with another one they may', async () => {
  await using alone = await createApiWithActivators({})
  const last = await alone.signIn(alone.people.olga)
  const { db } = alone.service.ctx
  const operators = await db
    .selectFrom('team_member')
    .innerJoin('person', 'person.id', 'team_member.person_id')
    .select('email')
    .where('team', '=', 'operators')
    .where('email', '<>', 'olga@example.com')
    .execute()
  for (const { email } of operators) {
    expect((await last.post(`/v1/people/${email}/disable`)).status).toBe(200)
  }
  const disableLast = () => last.post('/v1/people/olga@example.com/disable')
  const refused = {
    status: 409,
    body: { code: 'conflict', detail: expect.stringContaining('the only person with the right') },
  }
  expect(await disableLast()).toMatchObject(refused)
  // Somebody who was disabled cannot sign in because a row says so.
  await db.updateTable('person').set({ disabled_at: null }).execute()
  expect(await disableLast()).toMatchObject(refused)
  expect((await last.get('/v1/me')).status).toBe(200)
})

test('explaining needs a worker that exists, and says when no host answers', async () => {
  const ask = (worker: string) =>
    olga.post('/v1/policy/explain', { worker, tool: 'write_file', input: {} })
  expect(await ask('nobody')).toMatchObject({ status: 404, body: { code: 'unknown_worker' } })
  expect(await ask('scribe')).toMatchObject({
    status: 503,
    body: { code: 'workspace_unreachable' },
  })
})
