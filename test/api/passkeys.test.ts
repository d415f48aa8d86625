import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CredentialView } from '../../src/api/schemas/credentials.ts'
import {
  softwarePasskey,
  type Misbehaviour,
  type SoftwarePasskey,
} from '../harness/fixtures/software-passkey.ts'
import { createApiWithActivators } from './activating-operators.ts'
import type { Client, Reply, TestApi } from './test-api.ts'

let api: TestApi
let grace: Client
let olga: Client
beforeAll(async () => {
  api = await createApiWithActivators()
  grace = await api.signIn(api.people.grace)
  olga = await api.signIn(api.people.olga)
})
afterAll(() => api[Symbol.asyncDispose]())
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
  const rows = await api.database.db
    .selectFrom('audit_event')
    .select('document')
    .where('type', '=', 'credential.changed')
    .orderBy('id')
    .execute()
  return rows.map(({ document }) => JSON.parse(document).detail)
}

describe('registering a passkey', () => {
  test('lists it to its owner, unconfirmed, and tells the trail its public key and not its name', async () => {
    const registered = await register(grace, softwarePasskey())
    expect(registered).toMatchObject({
      status: 201,
      body: { name: 'Laptop', person: { name: 'Grace' }, confirmed: null, lastUsedAt: null },
    })
    expect((await grace.get('/v1/credentials')).body.items).toEqual([registered.body])
    const told = (await changes()).at(-1)
    expect(told).toMatchObject({
      change: 'passkey_registered',
      personId: api.people.grace.id,
      credentialId: registered.body.id,
      rpId: 'localhost',
    })
    expect(told?.['publicKey']).toMatch(/^MF/)
    expect(JSON.stringify(told)).not.toContain('Laptop')
  })

  test('refuses another origin, another host, an owner who was not verified, and a foreign challenge', async () => {
    for (const wrong of [
      { origin: 'http://localhost.evil.example' },
      { rpId: 'evil.example' },
      { unverified: true },
      { challenge: 'AAAA' },
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
    await api.database.db
      .updateTable('passkey_challenge')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .execute()
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
    const asked = await api.ask('/v1/credentials/options', { method: 'POST', body: {}, headers })
    expect(asked.status).toBe(403)
  })
})

describe('a passkey is confirmed', () => {
  let credential: CredentialView
  beforeEach(async () => {
    credential = (await register(grace, softwarePasskey())).body
  })

  test('by somebody else with the right activatePolicy, once, and the trail says by whom', async () => {
    const seen = (await olga.get('/v1/credentials?of=everybody')).body.items
    expect(seen).toEqual([credential])
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
      body: { detail: expect.stringContaining('Somebody else confirms') },
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
