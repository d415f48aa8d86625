import { afterAll, beforeAll, expect, test } from 'vitest'
import { SignInMails } from '#delivery/email/sign-in-mails.ts'
import { createSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import { hashToken } from '#services/access/token.ts'
import { mailTo } from '../../harness/fixtures/mail-settings.ts'
import { openMailServer, type MailServer } from '../../harness/mail-server.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { cookieOf, createTestApi, type Reply, type TestApi } from '../test-api.ts'

const warnings: Record<string, unknown>[] = []
let server: MailServer
let api: TestApi
let mails: SignInMails | undefined

beforeAll(async () => {
  server = await openMailServer()
  // The API is given what is made of its own context, so that both know one policy.
  api = await createTestApi({
    signInMails: {
      isOffered: async () => (await mails?.isOffered()) ?? false,
      sendLink: (input) => mails?.sendLink(input),
      notify: (email, notice) => mails?.notify(email, notice),
    },
  })
})
afterAll(async () => {
  await mails?.[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** The policy in force says how mail is sent: to the server of this test. */
function configure(port: number, pausesMs = [1]): void {
  const { ctx, policy } = api.service
  const config = { ...policy.config, email: mailTo(port) }
  const policies = { ...ctx.policies, inForce: async () => ({ ...policy, config }) }
  const log = { ...ctx.log, warn: (fields: Record<string, unknown>) => void warnings.push(fields) }
  mails = new SignInMails({
    ctx: { ...ctx, policies, log },
    publicUrl: 'http://localhost:4400',
    environment: {},
    times: { pausesMs, timeoutMs: 60_000 },
  })
}

const post = (body: unknown): Promise<Reply> => api.ask('/v1/auth/link', { method: 'POST', body })

async function audited(type: 'credential.changed' | 'session.refused'): Promise<unknown[]> {
  const rows = await rowsOf(api.service.db, 'audit_event', { type }, 'document')
  return rows.map(({ document }) => JSON.parse(document).detail)
}

/** The tokens in the mails so far. */
const mailed = (): string[] =>
  server.received.map(({ message }) => /#mailed=([\w-]{43})\n/.exec(message.text ?? '')?.[1] ?? '')

test('nobody is asked for an address or mailed anything where no mail is configured', async () => {
  expect((await api.ask('/v1/auth/methods')).body).toMatchObject({ mail: false })
  expect(await post({ email: 'grace@example.com' })).toMatchObject({ status: 404 })
})

// Rules: security.md 21
test('a link goes to the address of a person alone; the answer is the same for everybody', async () => {
  configure(server.port)
  expect((await api.ask('/v1/auth/methods')).body).toMatchObject({ mail: true })
  const [known, unknown] = [
    await post({ email: 'Grace@Example.com' }),
    await post({ email: 'nobody@example.com' }),
  ]
  expect(known).toMatchObject({ status: 202, body: { asked: true } })
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  await waitUntil(() => server.received.length === 1)
  await waitUntil(async () => (await audited('session.refused')).length === 1)
  expect(server.received).toMatchObject([{ to: ['grace@example.com'] }])
  expect(await audited('session.refused')).toEqual([{ method: 'link', why: 'unknown_person' }])
  expect(await audited('credential.changed')).toContainEqual({
    personId: api.people.grace.id,
    change: 'link_mailed',
  })
  const stored = await api.service.db.selectFrom('sign_in_link').selectAll().execute()
  const [token = ''] = mailed()
  expect(stored.map((link) => link.token_hash)).toContain(hashToken(token))
  expect(JSON.stringify(stored)).not.toContain(token)
})

// Rules: security.md 12
test('a mailed link signs in by POST, once, and only the newest does', async () => {
  const [first = ''] = mailed()
  await post({ email: 'grace@example.com' })
  await waitUntil(() => server.received.length === 2)
  const [, second = ''] = mailed()
  expect(await post({ token: first })).toMatchObject({ status: 401 })
  const scanned = await api.ask(`/v1/auth/link?token=${second}`)
  expect(scanned.status).toBe(405)
  const reply = await post({ token: second })
  expect(reply).toMatchObject({ status: 200, body: { person: { name: 'Grace' } } })
  expect((await api.ask('/v1/me', { headers: { cookie: cookieOf(reply) } })).status).toBe(200)
  expect(await post({ token: second })).toMatchObject({ status: 401 })
})

// Rules: security.md 21
test('a person is mailed three links in a quarter of an hour at most, whoever asks; a link made on the host stays valid', async () => {
  const host = { actor: { type: 'system', name: 'host' }, channel: 'cli' } as const
  const own = await createSignInLink(api.service.ctx, host, { email: 'linus@example.com' })
  for (let index = 0; index < 4; index += 1) await post({ email: 'linus@example.com' })
  await waitUntil(async () => JSON.stringify(await audited('session.refused')).includes('too_many'))
  await waitUntil(
    () => server.received.filter(({ to }) => to[0] === 'linus@example.com').length === 3,
  )
  expect(await post({ token: own.token })).toMatchObject({ status: 200 })
})

test('an address gets 429 with retry-after once it has asked for ten links in a minute', async () => {
  const replies: Reply[] = []
  for (let index = 0; index < 11; index += 1) replies.push(await post({ email: 'x@example.com' }))
  const refused = replies.at(-1)
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a mail that cannot be sent is a line in the log, without address or token', async () => {
  server.refuse = 'message'
  mails?.sendLink({ email: 'edsger@example.com', channel: 'api' })
  await waitUntil(() => warnings.length > 0)
  expect(warnings).toMatchObject([{ personId: api.people.edsger.id, status: 451 }])
  expect(JSON.stringify(warnings)).not.toMatch(/example\.com|mailed=/)
  // Tried again before it was given up.
  expect(server.connections).toBeGreaterThan(6)
})

test('a link that the mail server could not take is mailed when it is back, unless a newer one has taken its place', async () => {
  const toOlga = () => server.received.filter(({ to }) => to[0] === 'olga@example.com').length
  await mails?.[Symbol.asyncDispose]()
  configure(
    server.port,
    Array.from({ length: 2000 }, () => 50),
  )
  server.refuse = 'message'
  const before = server.connections
  mails?.sendLink({ email: 'olga@example.com', channel: 'api' })
  await waitUntil(() => server.connections >= before + 3)
  const older = warnings.length
  mails?.sendLink({ email: 'olga@example.com', channel: 'api' })
  // The older one gives up: only the newest works.
  await waitUntil(() => warnings.length > older)
  expect(toOlga()).toBe(0)
  server.refuse = null
  await waitUntil(() => toOlga() === 1)
  expect(await post({ token: mailed().at(-1) ?? '' })).toMatchObject({ status: 200 })
})

test('a person chooses what they are mailed, for themselves; no key does', async () => {
  const grace = await api.signIn(api.people.grace)
  const path = '/v1/me/notifications'
  expect((await grace.get(path)).body.email).toEqual({
    address: 'grace@example.com',
    available: false,
    choice: 'digest',
    ended: false,
    usual: 'digest',
    isUsual: true,
    digest: null,
  })
  const put = (body: unknown) => grace.put(path, body)
  expect((await put({ choice: 'atOnce', ended: true })).body.email).toMatchObject({
    choice: 'atOnce',
    ended: true,
    isUsual: false,
  })
  expect((await grace.get(path)).body.email).toMatchObject({ choice: 'atOnce', ended: true })
  expect(await put({ choice: 'always', ended: true })).toMatchObject({ status: 422 })
  expect(await put({ choice: 'digest' })).toMatchObject({ status: 422 })
  const made = await grace.post('/v1/keys', { name: 'robot', scopes: ['requests:read'] })
  const authorization = `Bearer ${made.body.key}`
  expect(await api.ask(path, { headers: { authorization } })).toMatchObject({ status: 403 })
})
