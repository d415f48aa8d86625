import { expect, test } from 'vitest'
import type { SessionView } from '#api/schemas/access/sessions.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import { cookieOf, developmentToken, type Client } from '../test-api.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'

const api = disposeAfterTests(await createApiWithActivators())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function sessionsOf(client: Client, query = ''): Promise<SessionView[]> {
  const reply = await client.get(`/v1/sessions${query}`)
  expect(reply.status).toBe(200)
  return reply.body.items
}

async function currentOf(client: Client): Promise<SessionView> {
  const current = (await sessionsOf(client)).find((session) => session.current)
  if (current === undefined) throw new Error('no session is the current one')
  return current
}

// Rules: security.md 21
test('a person sees where they are signed in, in words, without anything that signs in', async () => {
  const first = await api.signIn(api.people.ada)
  const reply = await api.ask('/v1/auth/dev-login', {
    method: 'POST',
    body: { email: 'ada@example.com', token: developmentToken },
    headers: { 'user-agent': firefox },
  })
  const cookie = cookieOf(reply)
  const listed = await sessionsOf(first)
  expect(listed).toMatchObject([
    { device: 'Firefox on Linux', method: 'development', current: false },
    { device: 'Another program', method: 'development', current: true },
  ])
  const text = JSON.stringify(listed)
  const stored = await rowsOf(api.service.db, 'session', {}, 'token_hash', 'csrf_token')
  for (const secret of [
    cookie.split('=')[1] ?? '',
    ...stored.flatMap((row) => [row.token_hash, row.csrf_token]),
  ]) {
    expect(text).not.toContain(secret)
  }
})

test('a session that is ended by its id is over at once, and the trail says who ended it', async () => {
  const kept = await api.signIn(api.people.grace)
  const lost = await api.signIn(api.people.grace)
  const { id } = await currentOf(lost)
  expect((await kept.delete(`/v1/sessions/${id}`)).body).toEqual({ ended: true })
  expect((await lost.get('/v1/me')).status).toBe(401)
  expect((await kept.get('/v1/me')).status).toBe(200)
  expect(await kept.delete(`/v1/sessions/${id}`)).toMatchObject({ status: 404 })
  const events = await rowsOf(api.service.db, 'audit_event', { type: 'session.ended' }, 'document')
  expect(events.map((row) => JSON.parse(row.document))).toContainEqual(
    expect.objectContaining({
      actor: { type: 'person', id: api.people.grace.id, name: 'Grace' },
      detail: { personId: api.people.grace.id, sessionId: id, why: 'ended_by_person' },
    }),
  )
})

test('ending all others leaves the one that asks', async () => {
  const kept = await api.signIn(api.people.linus)
  const others = [await api.signIn(api.people.linus), await api.signIn(api.people.linus)]
  expect((await kept.post('/v1/sessions/end-others')).body).toEqual({ ended: 2 })
  for (const other of others) expect((await other.get('/v1/me')).status).toBe(401)
  expect(await sessionsOf(kept)).toHaveLength(1)
})

// Rules: security.md 22
test("nobody sees or ends another person's sessions without the right; with it they do", async () => {
  const edsger = await api.signIn(api.people.edsger)
  const grace = await api.signIn(api.people.grace)
  const { id } = await currentOf(edsger)
  const refused = [
    await grace.get('/v1/sessions?person=edsger@example.com'),
    await grace.get('/v1/sessions?person=nobody@example.com'),
    await grace.post('/v1/sessions/end-others', { person: 'edsger@example.com' }),
  ]
  for (const reply of refused) {
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  }
  expect(await grace.delete(`/v1/sessions/${id}`)).toMatchObject({ status: 404 })
  expect((await edsger.get('/v1/me')).status).toBe(200)

  const olga = await api.signIn(api.people.olga)
  const his = await sessionsOf(olga, '?person=edsger@example.com')
  expect(his).toMatchObject([{ id, current: false }])
  expect((await olga.delete(`/v1/sessions/${id}`)).status).toBe(200)
  expect((await edsger.get('/v1/me')).status).toBe(401)
  const again = await api.signIn(api.people.edsger)
  const all = await olga.post('/v1/sessions/end-others', { person: 'edsger@example.com' })
  expect(all.body).toEqual({ ended: 1 })
  expect((await again.get('/v1/me')).status).toBe(401)
  expect(await olga.get('/v1/sessions?person=nobody@example.com')).toMatchObject({ status: 404 })
})

test('no API key sees or ends sessions', async () => {
  const ada = await api.signIn(api.people.ada)
  const { key } = (await ada.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })).body
  const headers = { authorization: `Bearer ${key}` }
  const { id } = await currentOf(ada)
  expect((await api.ask('/v1/sessions', { headers })).status).toBe(403)
  expect((await api.ask(`/v1/sessions/${id}`, { method: 'DELETE', headers })).status).toBe(403)
})
