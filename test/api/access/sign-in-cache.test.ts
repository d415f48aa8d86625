import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SignInChanges } from '#delivery/sign-in-changes.ts'
import { SignInCache } from '#services/access/sign-in-cache.ts'
import { activatePolicy } from '#services/policy/activate-policy.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { addPerson, type TestPerson } from '../../harness/fixtures/people.ts'
import { textsOf, withQueryLog, type LoggedQuery } from '../../harness/fixtures/count-queries.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { Interruptible } from '../../harness/outages/interruptible.ts'
import { fixtureFiles } from '../../harness/fixtures/project.ts'
import { createTestDatabase } from '../../harness/postgres.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { rowOf, rowsOf } from '../../harness/fixtures/rows.ts'
import { createTestApi, type Client, type Reply, type TestApi } from '../test-api.ts'

// Times stand still, so that a look-up never becomes too old: only what is tested ends it.
const now = (): number => 0
const queries: LoggedQuery[] = []
let changes: SignInChanges
/** two processes: one gets notifications of changes, and one gets none */
let api: TestApi
let deaf: TestApi
let people = 0

beforeAll(async () => {
  const database = await createTestDatabase()
  const db = withQueryLog(database.url, queries)
  changes = new SignInChanges({ databaseUrl: database.url, now })
  const dispose = async () => {
    await db.destroy()
    await database[Symbol.asyncDispose]()
  }
  const counted = { url: database.url, db, [Symbol.asyncDispose]: dispose }
  api = await createTestApi({ database: counted, signIns: changes.cache })
  const signIns = new SignInCache({ isListening: () => true, now })
  deaf = await createTestApi({ beside: api, signIns })
  await waitUntil(() => changes.isListening, { withinMs: 30_000 })
})
afterAll(async () => {
  await deaf[Symbol.asyncDispose]()
  await changes[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

interface SignedIn {
  readonly person: TestPerson
  /** of the process that gets notifications */
  readonly here: Client
  /** the same session at the one that does not */
  readonly there: Client
  readonly sessionId: string
}

/** Somebody new of the team that decides, known to both processes. */
async function signedIn(): Promise<SignedIn> {
  people += 1
  const person = await addPerson(api.service.db, `Person${people}`, ['platform'])
  const here = await api.signIn(person)
  const { cookie = '', 'x-csrf-token': csrf = '' } = here.headers
  const headers = { cookie, origin: deaf.url, 'x-csrf-token': csrf }
  const there: Client = {
    ...here,
    headers,
    get: (path) => deaf.ask(path, { headers: { cookie } }),
    post: (path, body = {}) => deaf.ask(path, { method: 'POST', body, headers }),
  }
  expect((await there.get('/v1/me')).status).toBe(200)
  await rememberedBy(() => here.get('/v1/me'))
  const { id: sessionId } = await rowOf(api.service.db, 'session', { person_id: person.id })
  return { person, here, there, sessionId }
}

/** Reads until nothing is looked up any more: what was found while a change came is not stored. */
async function rememberedBy(read: () => Promise<Reply>): Promise<void> {
  const isRemembered = async () => {
    queries.length = 0
    expect((await read()).status).toBe(200)
    return lookUps().length === 0
  }
  await waitUntil(isRemembered, { withinMs: 30_000 })
}

/** Ends a session as another host does, which has a ledger of its own. */
async function endFromAfar({ sessionId }: SignedIn): Promise<void> {
  await api.service.db.deleteFrom('session').where('id', '=', sessionId).execute()
}

async function waitingRequest() {
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const { id, digest, presentationDigest: seen } = await addRequest(api.service, run)
  const approval = { decision: 'approve', digest, revision: 1, seen }
  return { id, path: `/v1/requests/${id}/decisions`, approval }
}

async function stateOf(id: string): Promise<string> {
  const { state } = await rowOf(api.service.db, 'request', { id })
  return state
}

const lookUps = (): LoggedQuery[] =>
  queries.filter(({ sql: text }) => /from "(session|api_key)"/.test(text))

// Rules: security.md 21
test('a session and a key are looked up once for many reads', async () => {
  const { here } = await signedIn()
  const { key } = (await here.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })).body
  const headers = { authorization: `Bearer ${key}` }
  await rememberedBy(() => api.ask('/v1/workers', { headers }))
  await rememberedBy(() => here.get('/v1/me'))
  queries.length = 0
  for (let read = 0; read < 5; read += 1) {
    expect((await here.get('/v1/me')).status).toBe(200)
    expect((await api.ask('/v1/workers', { headers })).status).toBe(200)
  }
  expect(lookUps(), textsOf(queries)).toEqual([])
})

test('a decision looks for its session in its own transaction alone', async () => {
  const { here } = await signedIn()
  const { path, approval } = await waitingRequest()
  queries.length = 0
  expect((await here.post(path, approval)).body).toMatchObject({ state: 'approved' })
  expect(lookUps(), textsOf(queries)).toEqual([])
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(6)
})

// Rules: security.md 21, 29
test('a session that is ended at one process is over at all of its data folder when that answers', async () => {
  const one = await signedIn()
  expect((await one.here.post('/v1/auth/logout')).status).toBe(200)
  expect((await one.here.get('/v1/me')).status).toBe(401)
  expect((await one.there.get('/v1/me')).status).toBe(401)
})

test('a secret that a rotation has ended opens nothing at once, at a process that hears nothing too', async () => {
  const { here } = await signedIn()
  const made = (await here.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })).body
  const headers = { authorization: `Bearer ${made.key}` }
  for (const at of [api, deaf]) {
    for (let use = 0; use < 2; use += 1) {
      expect((await at.ask('/v1/workers', { headers })).status).toBe(200)
    }
  }
  const rotated = await here.post(`/v1/keys/${made.id}/rotate`, { overlapSeconds: 0 })
  expect(rotated.status).toBe(200)
  for (const at of [api, deaf]) {
    expect((await at.ask('/v1/workers', { headers })).status).toBe(401)
    const next = { authorization: `Bearer ${rotated.body.key}` }
    expect((await at.ask('/v1/workers', { headers: next })).status).toBe(200)
  }
})

test.each([0, 1])(
  'a secret that a rotation ends after %i seconds stays so when the row of before is put back',
  async (overlapSeconds) => {
    const { here } = await signedIn()
    const made = (await here.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })).body
    const headers = { authorization: `Bearer ${made.key}` }
    const { db } = api.service
    const before = await rowOf(db, 'api_key', { id: made.id })
    await here.post(`/v1/keys/${made.id}/rotate`, { overlapSeconds })
    await db.updateTable('api_key').set(before).where('id', '=', made.id).execute()
    for (const at of [api, deaf]) {
      const isRefused = async () => (await at.ask('/v1/workers', { headers })).status === 401
      if (overlapSeconds === 0) expect(await isRefused()).toBe(true)
      else await waitUntil(isRefused, { withinMs: 30_000 })
    }
  },
)

test.each([
  ['a session is deleted', (one: SignedIn) => endFromAfar(one)],
  [
    'a session becomes that of somebody else',
    ({ sessionId }: SignedIn) =>
      sql`update session set person_id = ${api.people.grace.id} where id = ${sessionId}`.execute(
        api.service.db,
      ),
  ],
  [
    'a person is disabled',
    ({ person }: SignedIn) =>
      sql`update person set disabled_at = now() where id = ${person.id}`.execute(api.service.db),
  ],
  ['all sessions go', () => sql`truncate session cascade`.execute(api.service.db)],
])('a look-up ends by the notification when %s by SQL', async (_what, change) => {
  const one = await signedIn()
  await change(one)
  await waitUntil(async () => (await one.here.get('/v1/me')).status === 401, { withinMs: 30_000 })
})

test('recording the use of a session does not count as a change of it', async () => {
  const one = await signedIn()
  await sql`update session set last_seen_at = now() where id = ${one.sessionId}`.execute(
    api.service.db,
  )
  // The notifications of two changes come in their order.
  const other = await signedIn()
  await endFromAfar(other)
  await waitUntil(async () => (await other.here.get('/v1/me')).status === 401, {
    withinMs: 30_000,
  })
  queries.length = 0
  expect((await one.here.get('/v1/me')).status).toBe(200)
  expect(lookUps()).toEqual([])
})

test('killing the connection that listens gains nothing: every read asks the database, and everything is then looked up anew', async () => {
  const one = await signedIn()
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'countersign notifications'
  `.execute(api.service.db)
  expect(rows.length).toBeGreaterThan(0)
  await endFromAfar(one)
  await waitUntil(async () => (await one.here.get('/v1/me')).status === 401, { withinMs: 30_000 })
  await waitUntil(() => changes.isListening, { withinMs: 30_000 })
})

test('a notification that is lost while the connection is away delays nothing', async () => {
  await using way = await Interruptible.to(new URL(api.database.url).host)
  const url = new URL(api.database.url)
  url.host = way.address
  await using far = new SignInChanges({ databaseUrl: url.href, now })
  await using another = await createTestApi({ beside: api, signIns: far.cache })
  await waitUntil(() => far.isListening, { withinMs: 30_000 })
  const one = await signedIn()
  const headers = { cookie: one.here.headers['cookie'] ?? '' }
  const status = async () => (await another.ask('/v1/me', { headers })).status
  expect(await status()).toBe(200)
  await way.interrupt()
  await waitUntil(() => !far.isListening, { withinMs: 30_000 })
  await endFromAfar(one)
  expect(await status()).toBe(401)
  await way.restore()
  await waitUntil(() => far.isListening, { withinMs: 30_000 })
  expect(await status()).toBe(401)
})

test('a session that ends between the look-up and the transaction decides nothing, alone or in bulk, and the trail says so', async () => {
  const one = await signedIn()
  const [first, second] = [await waitingRequest(), await waitingRequest()]
  await endFromAfar(one)
  // The process without notifications still accepts the session for reading.
  expect((await one.there.get('/v1/me')).status).toBe(200)
  expect(await one.there.post(first.path, first.approval)).toMatchObject({
    status: 401,
    body: { code: 'unauthenticated' },
  })
  const decisions = [first, second].map(({ id, approval }) => ({ requestId: id, ...approval }))
  const { items } = (await one.there.post('/v1/decisions', { decisions })).body
  expect(items).toMatchObject([{ status: 401 }, { status: 401 }])
  for (const { id } of [first, second]) {
    expect(await stateOf(id)).toBe('pending')
    const refused = await rowsOf(
      api.service.db,
      'audit_event',
      { type: 'decision.refused', request_id: id },
      'document',
    )
    expect(JSON.parse(refused[0]?.document ?? '{}')).toMatchObject({
      actor: { id: one.person.id },
      detail: { code: 'unauthenticated' },
    })
  }
})

test('a person who is disabled between the look-up and the transaction decides nothing', async () => {
  const one = await signedIn()
  const { id, path, approval } = await waitingRequest()
  await sql`update person set disabled_at = now() where id = ${one.person.id}`.execute(
    api.service.db,
  )
  expect((await one.there.get('/v1/me')).status).toBe(200)
  expect((await one.there.post(path, approval)).status).toBeGreaterThanOrEqual(400)
  expect(await stateOf(id)).toBe('pending')
})

test('every other operation that changes something asks the database who calls', async () => {
  const one = await signedIn()
  const { id } = await waitingRequest()
  const { key, id: keyId } = (
    await one.here.post('/v1/keys', { name: 'robot', scopes: ['runs:read', 'runs:write'] })
  ).body
  const headers = { authorization: `Bearer ${key}` }
  for (let use = 0; use < 2; use += 1) await deaf.ask('/v1/workers', { headers })
  await sql`update api_key set revoked_at = now() where id = ${keyId}`.execute(api.service.db)
  const run = { method: 'POST', headers, body: { worker: 'scribe', input: 'go' } }
  expect((await deaf.ask('/v1/runs', run)).status).toBe(401)
  await endFromAfar(one)
  const comment = await one.there.post(`/v1/requests/${id}/comments`, { text: 'hello' })
  expect(comment.status).toBe(401)
})

test('a row that was forged is refused when it is looked up, however often others were found', async () => {
  const [one, other] = [await signedIn(), await signedIn()]
  await sql`update session set seal = (select seal from session where id = ${other.sessionId})
    where id = ${one.sessionId}`.execute(api.service.db)
  await waitUntil(async () => (await one.here.get('/v1/me')).status === 401, { withinMs: 30_000 })
  expect((await other.here.get('/v1/me')).status).toBe(200)
  const refused = await rowsOf(
    api.service.db,
    'audit_event',
    { type: 'session.refused' },
    'document',
  )
  expect(refused.map(({ document }) => JSON.parse(document).detail)).toContainEqual(
    expect.objectContaining({ why: 'tampered', id: one.sessionId }),
  )
})

// Rules: product.md 18; security.md 21
test('a look-up ends by the notification when a version takes force that no longer admits its person', async () => {
  const { here } = await signedIn()
  const { ctx } = api.service
  const activating = { ...ctx, policies: createPolicyReader(ctx) }
  await activatePolicy(activating, { files: fixtureFiles, note: null })
  await waitUntil(async () => (await here.get('/v1/me')).status === 401, { withinMs: 30_000 })
})
