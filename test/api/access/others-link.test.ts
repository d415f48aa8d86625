import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { service } from '#services/core/authority.ts'
import { createSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import { newToken } from '#services/access/token.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'
import { cookieOf, createTestApi, developmentToken, type Reply } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())
const { grace, linus } = api.people

async function linkTo(email: string): Promise<string> {
  return (await createSignInLink(api.service.ctx, service, { email })).token
}

const post = (
  body: { readonly token: string; readonly replaceSession?: unknown },
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  api.ask('/v1/auth/link', { method: 'POST', body, headers: { ...headers, origin: api.url } })

async function refusals(): Promise<unknown[]> {
  const rows = await rowsOf(api.service.db, 'audit_event', { type: 'session.refused' }, 'document')
  return rows
    .map((row) => JSON.parse(row.document).detail)
    .filter(({ why }) => why === 'other_session')
}

/** How a browser of Grace signs in, and what it then sends. */
async function graceInBrowser() {
  const browser = { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' }
  const proof = { 'x-countersign-session': newToken() }
  const reply = await api.ask('/v1/auth/dev-login', {
    method: 'POST',
    body: { email: 'grace@example.com', token: developmentToken },
    headers: { ...browser, ...proof },
  })
  expect(reply.status).toBe(200)
  return { browser, cookie: cookieOf(reply), proof }
}

// Rules: security.md 38
test('a link of another person ends no live session without consent, stays unused, and is recorded', async () => {
  const { browser, cookie, proof } = await graceInBrowser()
  const headers = { ...browser, ...proof, cookie }
  const token = await linkTo('linus@example.com')
  for (const body of [{ token }, { token }]) {
    const refusal = await post(body, headers)
    expect(refusal).toMatchObject({ status: 409, body: { code: 'conflict', signedInAs: 'Grace' } })
    expect(refusal.text).not.toMatch(/linus/i)
    expect(refusal.text).not.toContain(linus.id)
    expect(refusal.headers.getSetCookie()).toEqual([])
  }
  expect((await api.ask('/v1/me', { headers })).body.person.name).toBe('Grace')
  const people = { personId: grace.id, linkPersonId: linus.id }
  const recorded = { method: 'link', why: 'other_session', ...people }
  expect(await refusals()).toEqual([recorded, recorded])
  for (const replaceSession of [false, 'true', 1, null]) {
    expect((await post({ token, replaceSession }, headers)).status).toBe(422)
  }
  const accepted = await post({ token, replaceSession: true }, headers)
  expect(accepted.body.person?.name).toBe('Linus')
  expect((await api.ask('/v1/me', { headers })).status).toBe(401)
  expect((await post({ token, replaceSession: true }, headers)).status).toBe(401)
})

test('a link signs the same person in again at once', async () => {
  const before = await api.signIn(grace)
  const { cookie = '' } = before.headers
  const again = await post({ token: await linkTo('grace@example.com') }, { cookie })
  expect(again.body.person?.name).toBe('Grace')
  expect((await before.get('/v1/me')).status).toBe(401)
})

test('a session that has ended does not delay a link of another person', async () => {
  const { db } = api.service
  for (const change of [
    { expires_at: sql<Date>`now() - interval '1 second'` },
    { last_seen_at: sql<Date>`now() - interval '12 hours 1 minute'` },
  ]) {
    const before = await api.signIn(grace)
    const { cookie = '' } = before.headers
    await db.updateTable('session').set(change).where('person_id', '=', grace.id).execute()
    await sealRows(db, 'session', 'person_id', grace.id)
    const reply = await post({ token: await linkTo('linus@example.com') }, { cookie })
    expect(reply.body.person?.name).toBe('Linus')
  }
})

// Rules: security.md 39
test('who has a cookie without its proof does not learn by a link whose session it is', async () => {
  const { browser, cookie, proof } = await graceInBrowser()
  for (const others of [{}, { 'x-countersign-session': newToken() }]) {
    const reply = await post({ token: await linkTo('linus@example.com') }, { ...others, cookie })
    expect(reply.body.person?.name).toBe('Linus')
    expect(reply.text).not.toContain('Grace is signed in')
  }
  const hers = await api.ask('/v1/me', { headers: { ...browser, ...proof, cookie } })
  expect(hers.body.person.name).toBe('Grace')
})
