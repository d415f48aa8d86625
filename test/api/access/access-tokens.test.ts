import type { AuditEventType } from '#domain/audit-event.ts'
import { createHmac, createPublicKey } from 'node:crypto'
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import { SignJWT } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openIdProviders } from '#delivery/oidc/open-id-provider.ts'
import type { Policy } from '#policy/policy.ts'
import { addPerson } from '../../harness/fixtures/people.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'
import { fixtureFiles, policyOf } from '../../harness/fixtures/project.ts'
import {
  newIssuerKey,
  startTokenIssuer,
  type IssuerKey,
  type TokenIssuer,
} from '../../harness/open-id/token-issuer.ts'
import { setRows } from '../../harness/fixtures/rows.ts'
import { createTestApi, type Reply, type TestApi } from '../test-api.ts'
import { trailOf } from '../../harness/fixtures/trail.ts'

const publicUrl = 'http://localhost:4400'
const gateway = `${publicUrl}/mcp/files`
const keysCooldownMs = 30_000

let issuer: TokenIssuer
let api: TestApi
let policy: Policy
const started: AsyncDisposable[] = []

beforeEach(async () => {
  issuer = await startTokenIssuer()
  api = await createTestApi({
    settings: { publicUrl, trustProxy: true },
    identityProviderOf: openIdProviders({}),
  })
  started.push(api, issuer)
  policy = withIssuer()
  Object.assign(api.service.ctx.policies, { inForce: async () => policy })
})
afterEach(async () => {
  vi.useRealTimers()
  for (const one of started.splice(0)) await one[Symbol.asyncDispose]()
})

/** The fixture project whose people sign in at the issuer, with one server of the gateway. */
function withIssuer(of: { signIn?: boolean; oidc?: string } = {}): Policy {
  const { oidc = '', signIn = true } = of
  const text = fixtureFiles.texts.get('countersign.yaml') ?? ''
  const more = `mcpServers:
  files: { command: node, args: [server.js] }
${signIn ? `signIn: { oidc: { issuer: "${issuer.issuer}", clientId: countersign${oidc} } }\n` : ''}`
  const texts = new Map([...fixtureFiles.texts, ['countersign.yaml', `${text}${more}`]])
  return policyOf({ ...fixtureFiles, texts })
}

/** What a good token of Grace's agent says. */
function claimsOf(other: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: issuer.issuer,
    sub: 'grace-at-example',
    aud: gateway,
    client_id: 'https://agent.example.com/client.json',
    scope: 'openid requests:read requests:write',
    email: 'grace@example.com',
    email_verified: true,
    iat: now,
    exp: now + 600,
    ...other,
  }
}

let addresses = 0

function newAddress(): string {
  addresses += 1
  return `10.9.${addresses >> 8}.${addresses & 255}`
}

/** Opens a connection to the gateway with a token. */
function open(token: string, path = '/mcp/files', address = newAddress()): Promise<Reply> {
  return api.ask(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': address,
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'agent', version: '1' },
      },
    },
  })
}

async function details(type: AuditEventType): Promise<Readonly<Record<string, unknown>>[]> {
  return (await trailOf(api.service.db, {}, type)).map(({ detail }) => detail)
}

/** The newest refusal in the trail, after which no client was accepted. */
async function refused(token: string): Promise<unknown> {
  const reply = await open(token)
  expect(reply.status).toBe(401)
  const challenge = new Response(null, { status: 401, headers: reply.headers })
  expect(extractWWWAuthenticateParams(challenge)).toMatchObject({
    error: 'invalid_token',
    resourceMetadataUrl: new URL(`${publicUrl}/.well-known/oauth-protected-resource/mcp/files`),
  })
  const { method, code, why } = (await details('session.refused')).at(-1) ?? {}
  expect(method).toBe('token')
  return code ?? why
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

test("a token of the provider opens the gateway in its person's name, and its client is one key of theirs", async () => {
  const good = await issuer.sign(claimsOf())
  for (const _ of [1, 2]) expect(await open(good)).toMatchObject({ status: 200 })
  // For the whole gateway, with the scopes as a list, by an issuer with other names of claims.
  const { client_id: azp, scope: _, ...rest } = claimsOf({ aud: ['x', `${publicUrl}/mcp`] })
  const other = { ...rest, azp, scp: ['requests:read', 'requests:write'] }
  expect((await open(await issuer.sign(other, { typ: 'JWT' }))).status).toBe(200)
  const made = await details('key.created')
  expect(made).toEqual([
    expect.objectContaining({
      ownerId: api.people.grace.id,
      client: 'https://agent.example.com/client.json',
      issuer: issuer.issuer,
    }),
  ])
  const grace = await api.signIn(api.people.grace)
  const { body } = await grace.get('/v1/keys')
  expect(body.items).toMatchObject([
    {
      id: made[0]?.['keyId'],
      name: 'https://agent.example.com/client.json (OAuth)',
      scopes: ['requests:write', 'requests:read'],
    },
  ])
  expect(issuer.timesAsked()).toBe(1)
})

// Rules: security.md 32
test('the project alone names the audience of a provider that issues no tokens for an address', async () => {
  const [app, api_] = ['7d0c2f6e-9b1a-4c55-8f3e-2a6b1c9d4e70', 'api://7d0c2f6e']
  // As Entra ID writes them: the client in azp, the scopes in scp.
  const { client_id: azp, scope: _, ...rest } = claimsOf()
  const entra = (aud: string, scp = 'requests:read requests:write') =>
    issuer.sign({ ...rest, azp, scp, ver: '2.0', aud })
  for (const aud of [app, api_]) {
    expect(await refused(await entra(aud))).toBe('ERR_JWT_CLAIM_VALIDATION_FAILED')
  }
  policy = withIssuer({ oidc: `, tokenAudiences: ["${app}", "${api_}"]` })
  for (const aud of [app, api_, gateway]) {
    expect((await open(await entra(aud))).status, aud).toBe(200)
  }
  for (const aud of [app.slice(1), app.toUpperCase(), `${api_}/`, 'countersign']) {
    expect(await refused(await entra(aud)), aud).toBe('ERR_JWT_CLAIM_VALIDATION_FAILED')
  }
  // An ID token for that audience has no scopes.
  expect((await open(await entra(app, ''))).status).toBe(403)
})

test('a token that is not of the issuer, not for this address, or not of this time lets nobody in', async () => {
  const [key] = issuer.keys as [IssuerKey]
  const now = Math.floor(Date.now() / 1000)
  const { exp: _, ...endless } = claimsOf()
  const tries: [string, Promise<string>][] = [
    ['ERR_JWT_CLAIM_VALIDATION_FAILED', issuer.sign(claimsOf({ iss: 'https://other.example' }))],
    ['ERR_JWT_CLAIM_VALIDATION_FAILED', issuer.sign(claimsOf({ aud: `${publicUrl}/mcp/mail` }))],
    ['ERR_JWT_CLAIM_VALIDATION_FAILED', issuer.sign(claimsOf({ aud: 'countersign' }))],
    ['ERR_JWT_CLAIM_VALIDATION_FAILED', issuer.sign(claimsOf({ aud: `${gateway}/` }))],
    ['ERR_JWT_EXPIRED', issuer.sign(claimsOf({ exp: now - 60 }))],
    ['ERR_JWT_CLAIM_VALIDATION_FAILED', issuer.sign(claimsOf({ nbf: now + 120 }))],
    ['ERR_JWT_CLAIM_VALIDATION_FAILED', issuer.sign(endless)],
    ['ERR_JWKS_NO_MATCHING_KEY', issuer.sign(claimsOf(), { kid: 'unknown' })],
    [
      'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
      issuer.sign(claimsOf(), { by: await newIssuerKey('one') }),
    ],
    ['cnf', issuer.sign(claimsOf({ cnf: { jkt: 'x' } }))],
    ['no_client', issuer.sign(claimsOf({ client_id: 'two words' }))],
    ['no_client', issuer.sign(claimsOf({ client_id: undefined }))],
  ]
  for (const [code, token] of tries) expect([await refused(await token)]).toEqual([code])

  const payload = part(claimsOf())
  const pem = createPublicKey({ key: key.jwk, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  const sign = (head: string, secret: string | Buffer): string =>
    createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url')
  const mac = part({ alg: 'HS256', kid: 'one' })
  const own = await newIssuerKey('own')
  const forged: [string, string][] = [
    ['ERR_JOSE_ALG_NOT_ALLOWED', `${part({ alg: 'none' })}.${payload}.`],
    ['ERR_JOSE_ALG_NOT_ALLOWED', `${part({ alg: 'none', kid: 'one' })}.${payload}.AAAA`],
    ['ERR_JOSE_ALG_NOT_ALLOWED', `${mac}.${payload}.${sign(mac, Buffer.from(pem))}`],
    ['ERR_JOSE_ALG_NOT_ALLOWED', `${mac}.${payload}.${sign(mac, JSON.stringify(key.jwk))}`],
    // A key inside the token is not one of the provider.
    [
      'ERR_JWKS_NO_MATCHING_KEY',
      await new SignJWT(claimsOf())
        .setProtectedHeader({ alg: 'ES256', kid: 'own', jwk: own.jwk, jku: 'http://127.0.0.1:9/' })
        .sign(own.privateKey),
    ],
    ['ERR_JWS_INVALID', 'a.b.c'],
  ]
  for (const [code, token] of forged) expect([await refused(token)]).toEqual([code])
  expect(await details('key.created')).toEqual([])
  // Any number of unknown keys causes one look at the provider in half a minute.
  expect(issuer.timesAsked()).toBe(1)
})

// Rules: security.md 42
test.each([-10, 10])(
  'a token is valid to its end by the clock of the database, while the clock of the host is %i minutes off',
  async (minutes) => {
    const now = Math.floor(Date.now() / 1000)
    const [valid, over] = await Promise.all([
      issuer.sign(claimsOf({ nbf: now - 60, exp: now + 300 })),
      issuer.sign(claimsOf({ nbf: now - 600, exp: now - 300 })),
    ])
    vi.useFakeTimers({ toFake: ['Date'], now: (now + minutes * 60) * 1000 })
    expect((await open(valid)).status).toBe(200)
    expect(await refused(over)).toBe('ERR_JWT_EXPIRED')
  },
)

test('a token without a scope is refused with the missing scope, and a token in the address is always refused', async () => {
  for (const scope of ['requests:read', 'openid', 'requests:write,requests:read']) {
    const reply = await open(await issuer.sign(claimsOf({ scope })))
    expect(reply.status).toBe(403)
    const challenge = new Response(null, { status: 403, headers: reply.headers })
    expect(extractWWWAuthenticateParams(challenge)).toMatchObject({
      error: 'insufficient_scope',
      scope: 'requests:write requests:read',
    })
  }
  const token = await issuer.sign(claimsOf())
  const inAddress = await open(token, `/mcp/files?access_token=${token}`)
  expect([inAddress.status, inAddress.body.code]).toEqual([400, 'invalid_request'])
  expect(inAddress.text).not.toContain(token)
  expect((await api.ask(`/mcp/files?access_token=${token}`, { method: 'POST' })).status).toBe(400)
})

test('a token decides nothing and reads nothing beside the gateway', async () => {
  const authorization = `Bearer ${await issuer.sign(claimsOf({ aud: [gateway, publicUrl] }))}`
  const id = '019ab0c2-7d1e-7000-8000-0242ac120002'
  for (const [method, path] of [
    ['POST', `/v1/requests/${id}/decisions`],
    ['POST', '/v1/requests'],
    ['GET', '/v1/requests'],
    ['GET', '/v1/me'],
    ['GET', '/metrics'],
  ] as const) {
    const init = { method, headers: { authorization }, ...(method === 'POST' ? { body: {} } : {}) }
    expect([path, (await api.ask(path, init)).status]).toEqual([path, 401])
  }
})

test('a token lets nobody in if its account belongs to no person here, or to a disabled person', async () => {
  const of = (other: Record<string, unknown>): Promise<string> => issuer.sign(claimsOf(other))
  const { linus, grace, ada } = api.people
  // A program of its own account, and an address that the provider has not verified.
  expect(await refused(await of({ sub: 'a-service', email: undefined }))).toBe('not_bound')
  const unverified = { sub: 'x', email: 'linus@example.com', email_verified: 'true' }
  expect(await refused(await of(unverified))).toBe('unverified_email')
  expect(await refused(await of({ sub: 'x', email: 'nobody@example.com' }))).toBe('unknown_person')
  // An account that is bound to Linus stays his, whatever address the token has. Another account is
  // not his.
  const row = { issuer: issuer.issuer, subject: 'his', person_id: linus.id }
  await api.service.db
    .insertInto('identity')
    .values({ ...row, email: '', groups: [], seal: api.service.ctx.seals.of('identity', row) })
    .execute()
  expect((await open(await of({ sub: 'his' }))).status).toBe(200)
  expect((await details('key.created')).map(({ ownerId }) => ownerId)).toEqual([linus.id])
  expect(await refused(await of({ sub: 'new', email: 'linus@example.com' }))).toBe('other_account')
  // A row that SQL made is believed by nobody.
  await setRows(api.service.db, 'identity', { subject: 'his' }, { person_id: ada.id })
  expect(await refused(await of({ sub: 'his' }))).toBe('unknown_person')

  const good = await of({})
  expect((await open(good)).status).toBe(200)
  const disabled = { disabled_at: new Date() }
  const person = { id: grace.id, email: 'grace@example.com', ...disabled }
  const seal = api.service.ctx.seals.of('person', person)
  await setRows(api.service.db, 'person', { id: grace.id }, { ...disabled, seal })
  expect(await refused(good)).toBe('disabled')
})

// Rules: security.md 29
test('a membership without the service’s seal lets in nobody whom the project does not name', async () => {
  const { db } = api.service
  const zoe = await addPerson(db, 'Zoe', [])
  const token = await issuer.sign(claimsOf({ sub: 'of-zoe', email: 'zoe@example.com' }))
  expect(await refused(token)).toBe('unknown_person')
  const until = new Date(Date.now() + 3_600_000)
  await db.insertInto('membership').values({ team: 'platform', person_id: zoe.id, until }).execute()
  expect(await refused(token)).toBe('unknown_person')
  await sealRows(db, 'membership', 'person_id', zoe.id)
  expect((await open(token)).status).toBe(200)
})

test('a client whose key was revoked comes back with no token, and gets no secret', async () => {
  const good = await issuer.sign(claimsOf())
  expect((await open(good)).status).toBe(200)
  const grace = await api.signIn(api.people.grace)
  const { body } = await grace.get('/v1/keys')
  const { id } = body.items[0]
  expect((await grace.post(`/v1/keys/${id}/rotate`, {})).status).toBe(409)
  expect((await grace.delete(`/v1/keys/${id}`)).status).toBeLessThan(300)
  expect(await refused(good)).toBe('client_revoked')
  expect(await refused(await issuer.sign(claimsOf()))).toBe('client_revoked')
  // Another client of hers continues to work.
  expect((await open(await issuer.sign(claimsOf({ client_id: 'other' })))).status).toBe(200)
})

test.each(['fails', 'never', 'nonsense', 'elsewhere'] as const)(
  'a provider whose keys cannot be read (it %s) lets nobody in, makes nobody wait long, and lets people in again later',
  async (how) => {
    issuer.answersKeys = how
    const good = await issuer.sign(claimsOf())
    const began = performance.now()
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => open(good)))
    expect(performance.now() - began).toBeLessThan(20_000)
    for (const { status, body, headers } of replies) {
      expect([status, body.code]).toEqual([503, 'unavailable'])
      expect(headers.get('retry-after')).toBe('5')
    }
    // All of them waited for the same answer; no token was called invalid.
    expect(issuer.timesAsked()).toBeLessThanOrEqual(2)
    expect(await details('session.refused')).toEqual([])
    issuer.answersKeys = 'whole'
    expect((await open(good)).status).toBe(200)
  },
  60_000,
)

// Rules: security.md 21, 37
test('tokens whose verification hangs, and failed ones, delay no key of the same address', async () => {
  const grace = await api.signIn(api.people.grace)
  const made = await grace.post('/v1/keys', { name: 'an agent', scopes: ['requests:read'] })
  const address = newAddress()
  const headers = { authorization: `Bearer ${made.body.key}`, 'x-forwarded-for': address }
  // Beyond 60 failed ones of an address, only ten a second are looked up.
  for (let failed = 0; failed < 61; failed += 1) await open('no.token.here', '/mcp/files', address)
  issuer.answersKeys = 'never'
  const good = await issuer.sign(claimsOf())
  const ends: string[] = []
  const tokens = Array.from({ length: 10 }, async () => {
    await open(good, '/mcp/files', address)
    ends.push('token')
  })
  await vi.waitFor(() => expect(issuer.timesAsked()).toBeGreaterThan(0))
  expect((await api.ask('/v1/requests', { headers })).status).toBe(200)
  ends.push('key')
  await Promise.all(tokens)
  expect(ends[0]).toBe('key')
}, 60_000)

test('a provider that does not answer at all lets nobody in', async () => {
  const good = await issuer.sign(claimsOf())
  await issuer[Symbol.asyncDispose]()
  expect(await open(good)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})

test('a new key of the provider is found, and one that it withdrew signs nothing from then on', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const [old] = issuer.keys as [IssuerKey]
  expect((await open(await issuer.sign(claimsOf()))).status).toBe(200)
  issuer.keys = [await newIssuerKey('two')]
  vi.setSystemTime(Date.now() + keysCooldownMs + 1000)
  expect((await open(await issuer.sign(claimsOf()))).status).toBe(200)
  expect(issuer.timesAsked()).toBe(2)
  expect(await refused(await issuer.sign(claimsOf(), { by: old }))).toBe('ERR_JWKS_NO_MATCHING_KEY')
})

test('no server issues or accepts tokens without a sign-in provider', async () => {
  const path = '/.well-known/oauth-protected-resource/mcp/files'
  expect((await api.ask(path)).body.authorization_servers).toEqual([issuer.issuer])
  policy = withIssuer({ signIn: false })
  expect((await api.ask(path)).body.authorization_servers).toBeUndefined()
  expect(await refused(await issuer.sign(claimsOf()))).toBe('no_provider')
  expect(issuer.timesAsked()).toBe(0)
})
