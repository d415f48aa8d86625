import { beforeEach, describe, expect, test } from 'vitest'
import type { CredentialView } from '#api/schemas/access/credentials.ts'
import { auditDocuments } from '../../harness/fixtures/events-about.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import {
  softwarePasskey,
  type Misbehaviour,
  type SoftwarePasskey,
} from '../../harness/fixtures/keys/software-passkey.ts'
import { setRows } from '../../harness/fixtures/rows.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import { cookieOf, type Client, type Reply } from '../test-api.ts'
import { trailOf } from '../../harness/fixtures/trail.ts'

const api = disposeAfterTests(await createApiWithActivators())
const grace = await api.signIn(api.people.grace)
const olga = await api.signIn(api.people.olga)

beforeEach(async () => {
  await api.database.db.deleteFrom('credential').execute()
})

async function register(
  client: Client,
  passkey: SoftwarePasskey,
  wrong: Misbehaviour = {},
): Promise<Reply> {
  const options = (await client.post('/v1/credentials/options')).body
  const response = passkey.create(options, wrong)
  return client.post('/v1/credentials', { name: 'Laptop', response })
}

async function changes(): Promise<Record<string, unknown>[]> {
  const rows = await auditDocuments(api.database.db, { type: 'credential.changed' })
  return rows.map(({ detail }) => detail)
}

describe('registering a passkey', () => {
  test('lists it to its owner, unconfirmed, and tells the trail its public key and not its name', async () => {
    const registered = await register(grace, softwarePasskey())
    expect(registered).toMatchObject({
      status: 201,
      body: { name: 'Laptop', person: { name: 'Grace' }, confirmed: null, lastUsedAt: null },
    })
    expect((await grace.get('/v1/credentials')).body.items).toEqual([registered.body])
    const change = (await changes()).at(-1)
    expect(change).toMatchObject({
      change: 'passkey_registered',
      personId: api.people.grace.id,
      credentialId: registered.body.id,
      rpId: 'localhost',
    })
    expect(change?.['publicKey']).toMatch(/^MF/)
    expect(JSON.stringify(change)).not.toContain('Laptop')
  })

  test('refuses another origin, another host, a frame of another site, an owner who was not verified, and a foreign challenge', async () => {
    for (const wrong of [
      { origin: 'http://localhost.evil.example' },
      { rpId: 'evil.example' },
      { unverified: true },
      { challenge: 'AAAA' },
      { crossOrigin: true },
    ]) {
      const reply = await register(grace, softwarePasskey(), wrong)
      expect(reply, JSON.stringify(wrong)).toMatchObject({
        status: 422,
        body: { code: 'invalid_request', field: 'response' },
      })
    }
    expect((await grace.get('/v1/credentials')).body.items).toEqual([])
  })

  test('takes a challenge once, from the session that asked for it, while it lasts', async () => {
    const options = (await grace.post('/v1/credentials/options')).body
    const body = { name: 'Laptop', response: softwarePasskey().create(options) }
    expect((await olga.post('/v1/credentials', body)).status).toBe(422)
    const [first, second] = await Promise.all([
      grace.post('/v1/credentials', body),
      grace.post('/v1/credentials', body),
    ])
    expect([first.status, second.status].toSorted((one, other) => one - other)).toEqual([201, 422])
    const late = (await grace.post('/v1/credentials/options')).body
    await setRows(
      api.database.db,
      'passkey_challenge',
      {},
      { expires_at: new Date(Date.now() - 1000) },
    )
    const response = softwarePasskey().create(late)
    expect((await grace.post('/v1/credentials', { name: 'Late', response })).status).toBe(422)
  })

  test('refuses one that is registered, whoever it was registered for', async () => {
    const passkey = softwarePasskey()
    await register(grace, passkey)
    for (const client of [grace, olga]) {
      expect(await register(client, passkey)).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      })
    }
  })

  test('is for people: no API key registers or sees any', async () => {
    const { key } = (await grace.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })).body
    const headers = { authorization: `Bearer ${key}` }
    expect((await api.ask('/v1/credentials', { headers })).status).toBe(403)
    const reply = await api.ask('/v1/credentials/options', { method: 'POST', body: {}, headers })
    expect(reply.status).toBe(403)
  })
})

describe('a passkey is confirmed', () => {
  let credential: CredentialView
  beforeEach(async () => {
    credential = (await register(grace, softwarePasskey())).body
  })

  test('by somebody else with the right activatePolicy, once, and the trail says by whom', async () => {
    const items = (await olga.get('/v1/credentials?of=everybody')).body.items
    expect(items).toEqual([credential])
    const before = (await changes()).length
    for (let time = 0; time < 2; time += 1) {
      expect(await olga.post(`/v1/credentials/${credential.id}/confirm`)).toMatchObject({
        status: 200,
        body: { confirmed: { by: { name: 'Olga' } } },
      })
    }
    expect((await changes()).slice(before)).toEqual([
      {
        change: 'passkey_confirmed',
        personId: api.people.grace.id,
        credentialId: credential.id,
        publicKeyHash: credential.publicKeyHash,
      },
    ])
  })

  test('never by its owner, whatever right they have, nor by a colleague without the right', async () => {
    const own = (await register(olga, softwarePasskey())).body
    expect(await olga.post(`/v1/credentials/${own.id}/confirm`)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('Another person has to confirm') },
    })
    const linus = await api.signIn(api.people.linus)
    expect((await linus.post(`/v1/credentials/${credential.id}/confirm`)).status).toBe(403)
    expect((await linus.get('/v1/credentials?of=everybody')).status).toBe(403)
  })

  test('not once it was removed, or its owner disabled', async () => {
    await grace.delete(`/v1/credentials/${credential.id}`)
    expect((await olga.post(`/v1/credentials/${credential.id}/confirm`)).status).toBe(404)
    const ada = await api.signIn(api.people.ada)
    const theirs = (await register(ada, softwarePasskey())).body
    await olga.post('/v1/people/ada@example.com/disable')
    expect((await olga.post(`/v1/credentials/${theirs.id}/confirm`)).status).toBe(404)
  })
})

test('people rename and remove their own passkeys, and see those of nobody else', async () => {
  const { id } = (await register(grace, softwarePasskey())).body
  const linus = await api.signIn(api.people.linus)
  expect((await linus.post(`/v1/credentials/${id}/rename`, { name: 'Mine' })).status).toBe(404)
  expect((await linus.delete(`/v1/credentials/${id}`)).status).toBe(404)
  expect((await linus.get('/v1/credentials')).body.items).toEqual([])
  const renamed = await grace.post(`/v1/credentials/${id}/rename`, { name: 'Phone' })
  expect(renamed.body.name).toBe('Phone')
  expect((await grace.delete(`/v1/credentials/${id}`)).status).toBe(200)
  expect((await grace.delete(`/v1/credentials/${id}`)).status).toBe(404)
  expect((await changes()).slice(-2)).toMatchObject([
    { change: 'passkey_renamed' },
    { change: 'passkey_removed' },
  ])
})

describe('signing in with a passkey', () => {
  let passkey: SoftwarePasskey
  beforeEach(async () => {
    passkey = softwarePasskey()
    await register(grace, passkey)
  })

  async function signIn(wrong: Misbehaviour = {}, change: Record<string, unknown> = {}) {
    const options = (await api.ask('/v1/auth/passkey/options', { method: 'POST', body: {} })).body
    const answer = passkey.get(options, wrong)
    const response = { ...answer, response: { ...answer.response, ...change } }
    return api.ask('/v1/auth/passkey', { method: 'POST', body: { response } })
  }

  async function whyRefused(): Promise<unknown> {
    return (await trailOf(api.database.db, {}, 'session.refused')).at(-1)?.detail
  }

  test('starts a session of its owner, unconfirmed as it is, and says when it was last used', async () => {
    const reply = await signIn()
    expect(reply).toMatchObject({
      status: 200,
      body: { person: { name: 'Grace' }, signedInBy: 'passkey' },
    })
    const cookie = cookieOf(reply)
    expect((await api.ask('/v1/me', { headers: { cookie } })).body.signedInBy).toBe('passkey')
    const [listed] = (await grace.get('/v1/credentials')).body.items
    expect(listed.lastUsedAt).not.toBeNull()
  })

  test.each(['EdDSA', 'RS256'] as const)(
    'works with %s, as it does with ES256',
    async (algorithm) => {
      passkey = softwarePasskey(algorithm)
      expect((await register(grace, passkey)).status).toBe(201)
      expect((await signIn()).status).toBe(200)
    },
  )

  // Rules: security.md 21
  test('refuses, and tells the trail why: another origin, an owner not verified, a counter gone back, another key', async () => {
    expect((await signIn()).status).toBe(200)
    for (const [wrong, change, why] of [
      [{ origin: 'https://evil.example' }, {}, 'assertion'],
      [{ rpId: 'evil.example' }, {}, 'assertion'],
      [{ unverified: true }, {}, 'assertion'],
      [{}, { signature: 'AAAA' }, 'assertion'],
      [{ counter: 1 }, {}, 'counter'],
      [{}, { userHandle: 'AAAA' }, 'credential'],
      [{ challenge: 'AAAA' }, {}, 'challenge'],
    ] as const) {
      expect((await signIn(wrong, change)).status, JSON.stringify([wrong, change])).toBe(401)
      expect(await whyRefused()).toEqual({ method: 'passkey', why })
    }
  })

  test('takes a challenge once', async () => {
    const options = (await api.ask('/v1/auth/passkey/options', { method: 'POST', body: {} })).body
    const body = { response: passkey.get(options) }
    expect((await api.ask('/v1/auth/passkey', { method: 'POST', body })).status).toBe(200)
    expect((await api.ask('/v1/auth/passkey', { method: 'POST', body })).status).toBe(401)
  })

  test('ends with the passkey, and with its owner, at once', async () => {
    const [listed] = (await grace.get('/v1/credentials')).body.items
    await olga.delete(`/v1/credentials/${listed.id}`)
    expect((await signIn()).status).toBe(401)
    const linus = await api.signIn(api.people.linus)
    passkey = softwarePasskey()
    await register(linus, passkey)
    await olga.post('/v1/people/linus@example.com/disable')
    expect((await signIn()).status).toBe(401)
  })
})

// Rules: security.md 21
test('an address gets 429 after ten failed sign-ins with a passkey in a minute', async () => {
  await using other = await createApiWithActivators()
  const body = {
    response: {
      id: 'AAAA',
      rawId: 'AAAA',
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
    },
  }
  const statuses: number[] = []
  for (let time = 0; time < 11; time += 1) {
    statuses.push((await other.ask('/v1/auth/passkey', { method: 'POST', body })).status)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
})

// Rules: security.md 37
test('an address that only starts sign-ins is refused before it stores more than 300 a minute', async () => {
  await using other = await createApiWithActivators()
  const start = () => other.ask('/v1/auth/passkey/options', { method: 'POST', body: {} })
  const replies = await Promise.all(Array.from({ length: 310 }, start))
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.map(({ body }) => body.code)).toEqual(Array(10).fill('rate_limited'))
  const stored = await other.database.db.selectFrom('passkey_challenge').select('purpose').execute()
  expect(stored).toHaveLength(300)
})
