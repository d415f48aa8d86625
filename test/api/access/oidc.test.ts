import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openIdProviders } from '#delivery/oidc/open-id-provider.ts'
import { hashToken, newToken } from '#services/access/token.ts'
import type { Policy } from '#policy/policy.ts'
import { syncPeople } from '#services/policy/sync-people.ts'
import type { AuditEventType } from '#domain/audit-event.ts'
import { auditDocuments } from '../../harness/fixtures/events-about.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { fixtureFiles, policyOf } from '../../harness/fixtures/project.ts'
import {
  clientId,
  clientSecret,
  startOpenIdProvider,
  type Account,
} from '../../harness/open-id/open-id-provider.ts'
import { setRows } from '../../harness/fixtures/rows.ts'
import { cookieOf, createTestApi } from '../test-api.ts'

const publicUrl = 'http://localhost:4400'
const grace = { sub: 'grace-at-example', email: 'Grace@Example.com', email_verified: true }

const provider = disposeAfterTests(await startOpenIdProvider(`${publicUrl}/v1/auth/oidc/callback`))
// Each browser has an address of its own, because failures are counted by address.
const api = disposeAfterTests(
  await createTestApi({
    settings: { trustProxy: true },
    identityProviderOf: openIdProviders({ OIDC_SECRET: clientSecret }),
  }),
)
let policy: Policy = withProvider()
Object.assign(api.service.ctx.policies, { inForce: async () => policy })

beforeEach(() => {
  policy = withProvider()
  Object.assign(provider, { forgeClaims: null, spoilsSignature: false })
})

/** The fixture project with the provider, whose group `ops` is the platform team. */
function withProvider(settings = '', right = ''): Policy {
  const lines = `signIn:
  oidc:
    issuer: ${provider.issuer}
    clientId: ${clientId}
    clientSecretFrom: OIDC_SECRET
    scopes: [openid, email, profile, groups]
    label: Example Corp
${settings === '' ? '    teams: { ops: platform, guards: [security, auditors] }\n' : settings}`
  const text = fixtureFiles.texts.get('countersign.yaml') ?? ''
  return policyOf({
    ...fixtureFiles,
    texts: new Map([
      ...fixtureFiles.texts,
      ['countersign.yaml', `${text}${right === '' ? '' : `  ${right}\n`}${lines}`],
    ]),
  })
}

let browsers = 0

/** A browser at an address of its own, with its cookies. */
class Browser {
  readonly address = `10.1.2.${(browsers += 1)}`
  readonly cookies = new Map<string, string>()

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  readonly sends: Record<string, string>

  constructor(sends: Record<string, string> = {}) {
    this.sends = sends
  }

  async get(address: string): Promise<{ readonly status: number; readonly headers: Headers }> {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { ...this.sends, cookie: this.cookie, 'x-forwarded-for': this.address },
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    await response.bytes()
    return { status: response.status, headers: response.headers }
  }
}

const locationOf = (reply: { headers: Headers }): string => reply.headers.get('location') ?? ''

/**
 * Leaves for the provider and signs in there; the address at which the browser is to come back, at
 * this API.
 */
async function goThere(browser: Browser, start = '/v1/auth/oidc/start'): Promise<string> {
  let location = locationOf(await browser.get(api.url + start))
  for (let hops = 0; hops < 6 && !location.startsWith(publicUrl); hops++) {
    expect(location).toContain(provider.issuer)
    location = locationOf(await browser.get(location)).replace(/^\//, `${provider.issuer}/`)
  }
  return location.replace(publicUrl, api.url)
}

async function signIn(account: Account | null, browser = new Browser()) {
  provider.account = account
  const reply = await browser.get(await goThere(browser))
  return { browser, location: locationOf(reply), reply }
}

async function whoIs(browser: Browser) {
  return api.ask('/v1/me', { headers: { cookie: browser.cookie } })
}

async function details(type: AuditEventType): Promise<Record<string, unknown>[]> {
  const rows = await auditDocuments(api.service.db, { type })
  return rows.map(({ detail }) => detail)
}

const refusedWith = (why: string): string => `/sign-in?refused=${why}`

// Rules: security.md 29
test.each([
  ['the page to which it returns', { return_to: 'https://evil.example' }],
  ['its browser', { proof_hash: hashToken(newToken()) }],
  ['its end', { expires_at: new Date(Date.now() + 864e5) }],
])(
  'a sign-in at the provider signs nobody in once SQL changed %s, and leads to a page of ours',
  async (_what, change) => {
    provider.account = grace
    const browser = new Browser()
    const back = await goThere(browser)
    await api.service.db.updateTable('sign_in_flow').set(change).execute()
    expect(locationOf(await browser.get(back))).toBe(refusedWith('not_valid'))
  },
)

test('a sign-in at the provider with a verified address is that of the person whom the project names by it', async () => {
  expect((await api.ask('/v1/auth/methods')).body).toMatchObject({
    oidc: { label: 'Example Corp' },
  })
  const { browser, location, reply } = await signIn(grace)
  expect(location).toBe('/')
  expect(reply.headers.getSetCookie().join('\n')).toMatch(
    /__Host-countersign=[\w-]{43};.*HttpOnly; Secure; SameSite=Strict/,
  )
  const me = await whoIs(browser)
  expect(me.body).toMatchObject({
    person: { name: 'Grace', teams: ['platform'] },
    signedInBy: 'oidc',
  })
  expect(await details('session.started')).toContainEqual({
    method: 'oidc',
    sessionId: expect.any(String),
  })
  expect(await details('credential.changed')).toContainEqual({
    personId: api.people.grace.id,
    issuer: provider.issuer,
    change: 'identity_linked',
  })
})

test('the provider is asked with state, nonce and PKCE, and what is stored can finish no sign-in', async () => {
  const browser = new Browser()
  const url = new URL(locationOf(await browser.get(`${api.url}/v1/auth/oidc/start`)))
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: `${publicUrl}/v1/auth/oidc/callback`,
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  })
  const stored = JSON.stringify(
    await api.service.db.selectFrom('sign_in_flow').selectAll().execute(),
  )
  const kept = [...browser.cookies.values(), url.searchParams.get('state') ?? '']
  for (const secret of [...kept, url.searchParams.get('nonce') ?? '']) {
    expect(stored).not.toContain(secret)
  }
})

/**
 * What a browser sends with a navigation; its page begins with the hash of what its origin keeps.
 */
const navigation = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }
const startWith = (proof: string): string => `/v1/auth/oidc/start?proof=${hashToken(proof)}`

// Rules: security.md 39
test('a browser comes back without a session, and only its own page, with the proof that its origin keeps, gets one', async () => {
  provider.account = grace
  const browser = new Browser(navigation)
  expect(locationOf(await browser.get(`${api.url}/v1/auth/oidc/start`))).toBe('/sign-in')
  const proof = newToken()
  const back = await browser.get(await goThere(browser, `${startWith(proof)}&return=/runs`))
  expect(browser.cookies.has('__Host-countersign')).toBe(false)
  const location = new URL(locationOf(back), api.url)
  expect([location.pathname, location.search]).toEqual(['/sign-in', ''])
  const behind = new URLSearchParams(location.hash.slice(1))
  expect(behind.get('return')).toBe('/runs')
  const handIn = (headers: Record<string, string>) =>
    api.ask('/v1/auth/link', { method: 'POST', body: { token: behind.get('provider') }, headers })
  for (const other of [{}, { 'x-countersign-session': newToken() }]) {
    expect(await handIn(other)).toMatchObject({ status: 401 })
  }
  const signedIn = await handIn({ 'x-countersign-session': proof })
  expect(signedIn.body).toMatchObject({ person: { name: 'Grace' }, signedInBy: 'oidc' })
  const cookie = cookieOf(signedIn)
  expect((await api.ask('/v1/me', { headers: { cookie } })).body.code).toBe('session_unproven')
  expect((await handIn({ 'x-countersign-session': proof })).status).toBe(401)
})

// Rules: security.md 39
test('a sign-in that somebody else began, whose cookie another port planted, gives them nothing', async () => {
  provider.account = grace
  // Their own program begins, without a proof or with one of theirs; the person's browser is sent
  // on.
  for (const begun of ['/v1/auth/oidc/start', startWith(newToken())]) {
    const theirs = new Browser()
    const back = await goThere(theirs, begun)
    const persons = new Browser(navigation)
    for (const [name, value] of theirs.cookies) persons.cookies.set(name, value)
    const location = locationOf(await persons.get(back))
    expect(persons.cookies.has('__Host-countersign')).toBe(false)
    if (begun === '/v1/auth/oidc/start') expect(location).toBe(refusedWith('not_valid'))
    else {
      const token = new URLSearchParams(new URL(location, api.url).hash.slice(1)).get('provider')
      const headers = { 'x-countersign-session': newToken() }
      const handedIn = await api.ask('/v1/auth/link', { method: 'POST', body: { token }, headers })
      expect(handedIn.status).toBe(401)
    }
  }
})

test('an answer counts once, in the browser that began, for what it began, and for ten minutes', async () => {
  provider.account = grace
  const browser = new Browser()
  const back = await goThere(browser)
  const flow = browser.cookies.get('__Host-countersign-oidc') ?? ''
  const other = new Browser()
  const changed = back.replace(/state=[\w-]{4}/, 'state=AAAA')
  const without = back.replace(/state=[^&]+&?/, '')
  expect(locationOf(await other.get(back))).toBe(refusedWith('not_valid'))
  for (const address of [changed, without]) {
    browser.cookies.set('__Host-countersign-oidc', flow)
    expect(locationOf(await browser.get(address))).toBe(refusedWith('not_valid'))
  }
  browser.cookies.set('__Host-countersign-oidc', flow)
  expect(locationOf(await browser.get(back))).toBe('/')
  browser.cookies.set('__Host-countersign-oidc', flow)
  expect(locationOf(await browser.get(back))).toBe(refusedWith('not_valid'))

  const late = new Browser()
  const tooLate = await goThere(late)
  await setRows(
    api.service.db,
    'sign_in_flow',
    {},
    { expires_at: sql<Date>`now() - interval '1 second'` },
  )
  expect(locationOf(await late.get(tooLate))).toBe(refusedWith('not_valid'))
})

test('a code that was redeemed before is refused, whoever brings it with a sign-in of their own', async () => {
  provider.account = grace
  const first = new Browser()
  const back = await goThere(first)
  expect(locationOf(await first.get(back))).toBe('/')
  const second = new Browser()
  const code = new URL(back).searchParams.get('code') ?? ''
  const own = new URL(await goThere(second))
  own.searchParams.set('code', code)
  expect(locationOf(await second.get(own.href))).toBe(refusedWith('token_refused'))
})

test('a sign-in leads to the page that was requested, and never to another site', async () => {
  provider.account = grace
  for (const [target, landing] of [
    ['/requests/12?from=mail', '/requests/12?from=mail'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/v1/auth/logout', '/'],
  ] as const) {
    const browser = new Browser()
    const back = await goThere(browser, `/v1/auth/oidc/start?return=${encodeURIComponent(target)}`)
    expect(locationOf(await browser.get(back))).toBe(landing)
  }
})

test('an address that the provider has not verified makes nobody known, unless the file says so', async () => {
  const stranger = { sub: 'mallory', email: 'linus@example.com', email_verified: false }
  const { browser, location } = await signIn(stranger)
  expect(location).toBe(refusedWith('unverified_email'))
  expect((await whoIs(browser)).status).toBe(401)
  policy = withProvider('    requireVerifiedEmail: false\n')
  expect((await signIn({ ...stranger, sub: 'linus' })).location).toBe('/')
})

test('an account stays bound to its person, also with another address', async () => {
  const olga = { sub: 'olga', email: 'olga@example.com', email_verified: true }
  expect((await signIn(olga)).location).toBe('/')
  const { browser } = await signIn({ ...olga, email: 'ada@example.com' })
  expect((await whoIs(browser)).body.person.name).toBe('Olga')
  // Somebody else's account that later gets her address is not hers.
  const other = { ...olga, sub: 'somebody-else' }
  expect((await signIn(other)).location).toBe(refusedWith('other_account'))
  // Until somebody with the right says that it is.
  const path = '/v1/people/olga@example.com/unlink'
  expect((await (await api.signIn(api.people.grace)).post(path)).status).toBe(403)
  policy = withProvider('', 'managePeople: [aud@example.com]')
  const aud = await api.signIn(api.people.aud)
  const { db } = api.service
  const bound = db.selectFrom('identity').selectAll().where('subject', '=', 'olga')
  const [before] = await bound.execute()
  // One binding has an id; one of an earlier version has none.
  for (const id of [before?.id ?? null, null]) {
    const row = { ...before, id, person_id: api.people.olga.id, issuer: before?.issuer ?? '' }
    await db.deleteFrom('identity').where('subject', '=', 'olga').execute()
    const whole = { ...row, subject: 'olga', groups: [], email: '', told_at: new Date() }
    const seal = api.service.ctx.seals.of('identity', whole)
    await db
      .insertInto('identity')
      .values({ ...whole, seal })
      .execute()
    expect((await aud.post(path)).body).toEqual({ unlinked: true })
    // Put back by SQL, it binds the account to nobody.
    await db
      .insertInto('identity')
      .values({ ...whole, seal })
      .execute()
    expect((await signIn(olga)).location).toBe(refusedWith('unknown_person'))
    await db.deleteFrom('identity').where('subject', '=', 'olga').execute()
  }
  // The same account can be bound to her again.
  expect((await signIn(olga)).location).toBe('/')
  expect((await aud.post(path)).body).toEqual({ unlinked: true })
  expect((await aud.post(path)).status).toBe(404)
  expect((await whoIs((await signIn(other)).browser)).body.person.name).toBe('Olga')
  expect((await signIn(olga)).location).toBe(refusedWith('other_account'))
})

// Rules: product.md 17
test('an account moves to a new address only when everything that its person stands behind under the old one has ended', async () => {
  const olga = { sub: 'of-olga', email: 'olga@example.com', email_verified: true }
  policy = withProvider('', 'managePeople: [aud@example.com]')
  const path = '/v1/people/olga@example.com/unlink'
  const aud = await api.signIn(api.people.aud)
  await aud.post(path)
  expect((await signIn(olga)).location).toBe('/')
  const run = await addRun(api.service, { startedBy: api.people.olga })
  const request = await addRequest(api.service, run)
  // While the address is in the file, the account comes back to the same person.
  expect((await aud.post(path)).status).toBe(200)
  expect((await signIn(olga)).location).toBe('/')
  const people = policy.config.people.filter(({ email }) => email !== olga.email)
  policy = { ...policy, config: { ...policy.config, people } }
  const refused = await aud.post(path)
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(refused.body.detail).toMatch(/request #\d+, run #\d+/)
  const { db } = api.database
  await db.updateTable('request').set({ state: 'cancelled' }).where('id', '=', request.id).execute()
  expect((await aud.post(path)).status).toBe(409)
  await db.updateTable('run').set({ ended_at: new Date() }).where('id', '=', run.id).execute()
  expect((await aud.post(path)).status).toBe(200)
})

test('somebody whom the project does not name is refused, and becomes a person only while a mapped group fills a team', async () => {
  const nina = { sub: 'nina', email: 'nina@example.com', email_verified: true, name: 'Nina' }
  expect((await signIn(nina)).location).toBe(refusedWith('unknown_person'))
  expect((await signIn({ ...nina, groups: ['strangers'] })).location).toBe(
    refusedWith('unknown_person'),
  )
  // A group does not make a second person of somebody whose address changed.
  const usual = policy
  const [ada, ...others] = policy.config.people
  const people = [
    { ...ada, name: 'Ada', email: 'ada@example.com', formerly: [nina.email] },
    ...others,
  ]
  policy = { ...policy, config: { ...policy.config, people } }
  const former = await signIn({ ...nina, groups: ['ops'] })
  expect(former.location).toBe(refusedWith('unknown_person'))
  policy = usual
  const { browser, location } = await signIn({ ...nina, groups: ['ops', 'strangers'] })
  expect(location).toBe('/')
  const me = await whoIs(browser)
  expect(me.body.person).toMatchObject({
    name: 'Nina',
    email: 'nina@example.com',
    teams: ['platform'],
  })
  expect(me.body.person.rights).toEqual([])
  // Her groups have gone: she is nobody here any more, also where she was signed in.
  expect((await signIn(nina)).location).toBe(refusedWith('unknown_person'))
  expect((await whoIs(browser)).status).toBe(401)
})

// Rules: product.md 18
test('groups are read again at every sign-in; people whom the file names stay in their team', async () => {
  const withGroups = async (groups?: readonly string[]) => {
    const { browser } = await signIn({ ...grace, ...(groups === undefined ? {} : { groups }) })
    return (await whoIs(browser)).body.person.teams
  }
  expect(await withGroups(['guards'])).toEqual(['auditors', 'platform', 'security'])
  expect(await details('credential.changed')).toContainEqual({
    personId: api.people.grace.id,
    issuer: provider.issuer,
    change: 'teams_by_group',
    before: ['platform'],
    teams: ['auditors', 'platform', 'security'],
  })
  expect(await withGroups(['ops'])).toEqual(['platform'])
  expect(await withGroups()).toEqual(['platform'])
  // Rights are only of people whom the file names: auditors by a group read no trail.
  const { browser } = await signIn({ ...grace, groups: ['guards'] })
  expect((await whoIs(browser)).body.person.rights).toEqual([])
})

// Rules: product.md 18
test('a membership by a group holds under each version that maps the group, for thirty days', async () => {
  const { db } = api.service
  const edsger = { sub: 'edsger', email: 'edsger@example.com', email_verified: true }
  const { browser } = await signIn({ ...edsger, groups: ['ops'] })
  const teams = async () => (await whoIs(browser)).body.person.teams
  expect(await teams()).toEqual(['platform', 'security'])
  const activate = (version: Policy) =>
    db.transaction().execute((tx) =>
      syncPeople(
        {
          tx,
          seals: api.service.ctx.seals,
          revoke: () => undefined,
          audit: async () => undefined,
        },
        version.config,
      ),
    )
  await activate(withProvider())
  expect(await teams()).toEqual(['platform', 'security'])
  await activate(withProvider('    teams: { ops: operators }\n'))
  expect(await teams()).toEqual(['operators', 'security'])
  await activate(policyOf(fixtureFiles))
  expect(await teams()).toEqual(['security'])
  await activate(withProvider())
  await db
    .updateTable('membership')
    .set({ until: sql<Date>`now() - interval '1 second'` })
    .where('until', 'is not', null)
    .execute()
  expect(await teams()).toEqual(['security'])
})

// Rules: security.md 29
test('groups that somebody wrote into the database give no team, whatever is activated', async () => {
  const { db } = api.service
  const linus = { sub: 'linus', email: 'linus@example.com', email_verified: true }
  const { browser } = await signIn({ ...linus, groups: ['other'] })
  const teams = async () => (await whoIs(browser)).body.person.teams
  const before = await teams()
  await setRows(db, 'identity', { subject: 'linus' }, { groups: ['ops', 'guards'] })
  const { config } = withProvider()
  await db
    .transaction()
    .execute((tx) =>
      syncPeople(
        { tx, seals: api.service.ctx.seals, revoke: () => undefined, audit: async () => undefined },
        config,
      ),
    )
  expect(await teams()).toEqual(before)
})

test('a disabled person does not come back by the provider', async () => {
  const aud = { sub: 'aud', email: 'aud@example.com', email_verified: true }
  expect((await signIn(aud)).location).toBe('/')
  const person = api.service.db.updateTable('person').where('id', '=', api.people.aud.id)
  await person.set({ disabled_at: sql`now()` }).execute()
  expect((await signIn(aud)).location).toBe(refusedWith('disabled'))
  await person.set({ disabled_at: null }).execute()
  expect(await details('session.refused')).toContainEqual({ method: 'oidc', why: 'disabled' })
})

test('a token of another issuer, audience, nonce or time, or with a bad signature, signs nobody in', async () => {
  const forgeries: readonly ((claims: Record<string, unknown>) => Record<string, unknown>)[] = [
    (claims) => ({ ...claims, iss: 'https://other.example' }),
    (claims) => ({ ...claims, aud: 'another-client' }),
    (claims) => ({ ...claims, nonce: 'of another sign-in' }),
    (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }),
  ]
  for (const forgeClaims of forgeries) {
    provider.forgeClaims = forgeClaims
    expect((await signIn(grace)).location).toBe(refusedWith('token_refused'))
  }
  provider.forgeClaims = null
  provider.spoilsSignature = true
  expect((await signIn(grace)).location).toBe(refusedWith('token_refused'))
  provider.spoilsSignature = false
  // Clocks differ by seconds everywhere.
  provider.forgeClaims = (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 5 })
  expect((await signIn(grace)).location).toBe('/')
})

test('a person who declines at the provider is told so', async () => {
  expect((await signIn(null)).location).toBe(refusedWith('provider_refused'))
})

test('a provider for which the service has no secret is not asked, and the person is told so', async () => {
  const oidc = policy.config.signIn.oidc
  if (oidc === null) throw new Error('the policy has no provider')
  const signIn = { ...policy.config.signIn, oidc: { ...oidc, clientSecretFrom: 'NOT_SET' } }
  policy = { ...policy, config: { ...policy.config, signIn } }
  const reply = await new Browser().get(`${api.url}/v1/auth/oidc/start`)
  expect(locationOf(reply)).toBe(refusedWith('secret_missing'))
})

test('a provider that is down, or has another name, is reported, and links and the host are still offered', async () => {
  await using gone = await startOpenIdProvider(`${publicUrl}/v1/auth/oidc/callback`)
  await gone.stop()
  const start = () => new Browser().get(`${api.url}/v1/auth/oidc/start`)
  const right = provider.issuer
  policy = policyWithIssuer(gone.issuer)
  expect(locationOf(await start())).toBe(refusedWith('provider_down'))
  expect((await api.ask('/v1/auth/methods')).status).toBe(200)
  // The same machine under a name that its documents do not contain.
  policy = policyWithIssuer(right.replace('127.0.0.1', 'localhost'))
  expect(locationOf(await start())).toBe(refusedWith('provider_wrong'))
})

function policyWithIssuer(issuer: string): Policy {
  const config = policy.config
  const oidc = config.signIn.oidc
  if (oidc === null) throw new Error('no provider')
  return {
    ...policy,
    config: { ...config, signIn: { ...config.signIn, oidc: { ...oidc, issuer } } },
  }
}

test('signing out ends the session here and names where to sign out at the provider', async () => {
  const { browser } = await signIn(grace)
  const me = await whoIs(browser)
  const reply = await api.ask('/v1/auth/logout', {
    method: 'POST',
    body: {},
    headers: { cookie: browser.cookie, origin: api.url, 'x-csrf-token': me.body.csrfToken },
  })
  const url = new URL(reply.body.providerUrl)
  expect(url.origin).toBe(provider.issuer)
  expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${publicUrl}/`)
  expect((await whoIs(browser)).status).toBe(401)
  const link = await api.signIn(api.people.olga)
  expect((await link.post('/v1/auth/logout')).body).toEqual({ signedOut: true, providerUrl: null })
})

// Rules: security.md 21
test('failed sign-ins at the provider count with all others of an address', async () => {
  const headers = { 'x-forwarded-for': '10.9.9.9' }
  const wrong = () => api.ask('/v1/auth/oidc/callback?state=x&code=y', { headers })
  const link = { method: 'POST', body: { token: 'x'.repeat(43) }, headers }
  for (let count = 0; count < 5; count++) expect((await wrong()).status).toBe(302)
  for (let count = 0; count < 5; count++) {
    expect((await api.ask('/v1/auth/link', link)).status).toBe(401)
  }
  for (const reply of [await wrong(), await api.ask('/v1/auth/oidc/start', { headers })]) {
    expect(reply).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

test('a HEAD of the addresses signs nobody in, and neither does a project without a provider', async () => {
  expect((await api.ask('/v1/auth/oidc/callback?state=x', { method: 'HEAD' })).status).toBe(405)
  expect((await api.ask('/v1/auth/oidc/start', { method: 'HEAD' })).status).toBe(405)
  policy = policyOf(fixtureFiles)
  expect((await api.ask('/v1/auth/oidc/start')).status).toBe(404)
  expect((await api.ask('/v1/auth/methods')).body.oidc).toBeNull()
})
