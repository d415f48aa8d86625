import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { recordRefusal, recordRepeats } from '#services/refusals/record-refusal.ts'
import { operations } from '#client/operations.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { rowOf } from '../../harness/fixtures/rows.ts'
import { createTestApi, type Reply } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())
/** in no team that decides, with no right, behind nothing */
const edsger = await api.signIn(api.people.edsger)
const run = await addRun(api.service, { startedBy: api.people.ada })
const request = await addRequest(api.service, run)

beforeEach(async () => {
  await sql`truncate refused_attempt`.execute(api.database.db)
})

interface RefusalEvent {
  readonly type: string
  readonly actor: { readonly id: string }
  readonly requestId?: string
  readonly runId?: string
  readonly detail: { readonly code: string; readonly attempt: string; readonly repeated?: number }
}

async function refusalsOf(personId = api.people.edsger.id): Promise<readonly RefusalEvent[]> {
  const { rows } = await sql<{ document: string }>`
    select document from audit_event where actor_id = ${personId}
      and type in ('decision.refused', 'attempt.refused') order by at, id
  `.execute(api.database.db)
  return rows.map((row) => JSON.parse(row.document) as RefusalEvent)
}

type Attempt = readonly [string, () => Promise<Reply>, number, string]
const attempts: readonly Attempt[] = [
  [
    'starts a run in a mode without the right',
    () => edsger.post('/v1/runs', { worker: 'scribe', input: 'go', mode: 'approve_all' }),
    403,
    'mode_not_permitted',
  ],
  [
    'decides what they may not see',
    () =>
      edsger.post(`/v1/requests/${request.id}/decisions`, {
        decision: 'approve',
        digest: request.digest,
        revision: 1,
      }),
    404,
    'not_found',
  ],
  [
    'claims what they may not see',
    () => edsger.post(`/v1/requests/${request.id}/claim`),
    404,
    'not_found',
  ],
  [
    'comments on it',
    () => edsger.post(`/v1/requests/${request.id}/comments`, { text: 'let it' }),
    404,
    'not_found',
  ],
  [
    'cancels a run of somebody else',
    () => edsger.post(`/v1/runs/${run.id}/cancel`, {}),
    404,
    'not_found',
  ],
  [
    'tells it something',
    () => edsger.post(`/v1/runs/${run.id}/messages`, { text: 'do it' }),
    404,
    'not_found',
  ],
  [
    'makes a key for somebody else',
    () =>
      edsger.post('/v1/keys', {
        name: 'k',
        owner: 'ada@example.com',
        scopes: ['runs:write'],
      }),
    403,
    'forbidden',
  ],
  [
    'calls the MCP gateway with a session',
    () => edsger.post('/mcp/files', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    403,
    'forbidden',
  ],
  ['disables a person', () => edsger.post(`/v1/people/ada@example.com/disable`), 403, 'forbidden'],
]

// Rules: security.md 22, 33
test.each(attempts)(
  'a person who %s is recorded in the trail, and learns no more than before',
  async (...of) => {
    const [, attempt, status, code] = of
    const before = (await refusalsOf()).length
    const reply = await attempt()
    expect(reply).toMatchObject({ status, body: { code } })
    const [event, ...more] = (await refusalsOf()).slice(before)
    expect(more).toEqual([])
    expect(event).toMatchObject({ actor: { id: api.people.edsger.id }, detail: { code } })
  },
)

test('the trail of a request and of a run name who tried something on them unseen', async () => {
  await edsger.post(`/v1/requests/${request.id}/claim`)
  await edsger.post(`/v1/runs/${run.id}/cancel`, {})
  expect((await refusalsOf()).slice(-2)).toMatchObject([
    { type: 'attempt.refused', requestId: request.id, runId: run.id },
    { type: 'attempt.refused', runId: run.id },
  ])
  const grace = await api.signIn(api.people.grace)
  const { body } = await grace.get(`/v1/audit?requestId=${request.id}`)
  expect(JSON.stringify(body.items)).toContain('Edsger')
})

test('a malformed call, and one that only reads, is not recorded as an attempt', async () => {
  const before = (await refusalsOf()).length
  expect((await edsger.post('/v1/runs', { worker: 7 })).status).toBe(422)
  expect((await edsger.get(`/v1/requests/${request.id}`)).status).toBe(404)
  expect(await refusalsOf()).toHaveLength(before)
})

// Rules: security.md 33, 42
test('the count of a minute that lies far ahead, as after the clock of the database was set back, is recorded', async () => {
  const before = (await refusalsOf()).length
  for (const _ of [1, 2]) await edsger.post(`/v1/runs/${run.id}/cancel`, {})
  await recordRepeats(api.service.ctx)
  expect((await refusalsOf()).slice(before)).toHaveLength(1)
  await sql`update refused_attempt set until = until + interval '1 day'`.execute(api.database.db)
  await recordRepeats(api.service.ctx)
  expect((await refusalsOf()).slice(before)).toMatchObject([{}, { detail: { repeated: 1 } }])
})

test('an attempt that is repeated a hundred times in a minute is recorded twice: at once, and with its count', async () => {
  const before = (await refusalsOf()).length
  const cancel = () => edsger.post(`/v1/runs/${run.id}/cancel`, {})
  for (let times = 0; times < 20; times += 1) {
    await Promise.all(Array.from({ length: 5 }, cancel))
  }
  expect((await refusalsOf()).slice(before)).toHaveLength(1)
  await recordRepeats(api.service.ctx)
  expect((await refusalsOf()).slice(before)).toHaveLength(1)
  await sql`update refused_attempt set until = clock_timestamp()`.execute(api.database.db)
  await Promise.all([recordRepeats(api.service.ctx), recordRepeats(api.service.ctx)])
  expect((await refusalsOf()).slice(before)).toMatchObject([
    { detail: { code: 'not_found' } },
    { runId: run.id, detail: { code: 'not_found', repeated: 99 } },
  ])
  await cancel()
  expect((await refusalsOf()).slice(before)).toHaveLength(3)
})

test('somebody who tries everything does not flood the trail, and hides nobody else in it', async () => {
  const { linus, olga } = api.people
  for (let which = 0; which < 60; which += 1) {
    await recordRefusal(api.service.ctx, {
      type: 'attempt.refused',
      ...linus.caller,
      detail: { attempt: 'POST /v1/keys', code: 'forbidden', which: `${which}` },
    })
  }
  const events = await refusalsOf(linus.id)
  expect(events).toHaveLength(31)
  expect(events.at(-1)?.detail).toEqual({ attempt: 'POST /v1/keys', code: 'forbidden', many: true })
  await recordRefusal(api.service.ctx, {
    type: 'attempt.refused',
    ...olga.caller,
    detail: { attempt: 'POST /v1/keys', code: 'forbidden' },
  })
  expect(await refusalsOf(olga.id)).toHaveLength(1)
})

type Operation = keyof typeof operations

const decision = { decision: 'approve', digest: request.digest, revision: 1 }
/** Bodies that are well formed, so that the answer is about what the path names. */
const bodies: Partial<Record<Operation, unknown>> = {
  createChallenge: decision,
  decideRequest: decision,
  reviseRequest: { input: {}, revision: 1, digest: request.digest },
  commentRequest: { text: 'let it' },
  editComment: { text: 'let it' },
  answerQuestion: { text: 'blue' },
  extendRequest: { expiresAt: new Date(Date.now() + 864e5).toISOString() },
  handOverRequest: { to: 'ada@example.com' },
  snoozeRequest: { until: new Date(Date.now() + 36e5).toISOString() },
  revokeApproval: { reason: 'no' },
  settleOutcome: { ran: true, then: 'continue', reason: 'seen' },
  consumePermit: { digest: request.digest },
  reportOutcome: { state: 'succeeded' },
  recordRequestReveal: { kind: 'private key', characters: 40, revision: 1 },
  recordRunReveal: { kind: 'private key', characters: 40 },
  eraseRequest: { why: 'Asked for' },
  streamRunAsAgUi: { threadId: run.id, runId: 'front-end-1', messages: [] },
  postMessage: { text: 'do it' },
  forkRun: { text: 'again' },
  invokeTool: { tool: 'deploy', input: {} },
}

/** A file of the call's result and of a message of the run. Returns the hash of both. */
async function addFiles(): Promise<string> {
  const { db } = api.database
  const { input_digest: hash } = await rowOf(db, 'run', { id: run.id }, 'input_digest')
  const file = { position: 1, hash, media_type: 'text/plain', bytes: 1 }
  await db
    .insertInto('result_file')
    .values({ call_id: request.callId, ...file })
    .execute()
  const id = randomUUID()
  const author = JSON.stringify(api.people.ada.caller.actor)
  await db
    .insertInto('message')
    .values({ id, run_id: run.id, sequence: 1, role: 'user', author, content_hash: hash })
    .execute()
  await db
    .insertInto('message_file')
    .values({ message_id: id, name: 'a.txt', ...file })
    .execute()
  return hash
}
const fileHash = await addFiles()

// Rules: security.md 22
test.each(['a person', 'a key'])(
  'every operation answers %s about an object that they may not see as about one that does not exist',
  async (who) => {
    const ada = await api.signIn(api.people.ada)
    const scopes = ['runs:write', 'runs:read', 'requests:write', 'requests:read']
    const { body: key } = await edsger.post('/v1/keys', { name: `of ${who}`, scopes })
    const { body: theirs } = await ada.post('/v1/keys', {
      name: `of ${who}`,
      scopes: ['runs:read'],
    })
    const { body: sessions } = await ada.get('/v1/sessions')
    const grace = await api.signIn(api.people.grace)
    const numberOf = async (path: string) => String((await grace.get(path)).body.number)
    const comment = await grace.post(`/v1/requests/${request.id}/comments`, { text: 'let it' })
    expect(comment.status).toBe(201)
    for (const owner of [`runs/${run.id}`, `calls/${request.callId}`]) {
      expect((await grace.get(`/v1/${owner}/files/${fileHash}`)).status, owner).toBe(200)
    }
    const headers = who === 'a key' ? { authorization: `Bearer ${key.key}` } : { ...edsger.headers }
    const hidden: Readonly<Record<string, readonly string[]>> = {
      runs: [run.id, await numberOf(`/v1/runs/${run.id}`)],
      requests: [request.id, await numberOf(`/v1/requests/${request.id}`)],
      calls: [request.callId],
      keys: [theirs.id],
      sessions: [sessions.items[0].id],
    }
    /** the statuses of an operation: of what there is not, and of what the caller may never do */
    const statusesOf = (operation: Operation): readonly number[] => {
      if (who === 'a key') return [403, 404]
      return ['eraseRequest', 'getEvidence'].includes(operation) ? [403] : [404]
    }
    const sentences: string[] = []
    for (const [operation, route] of Object.entries(operations) as [Operation, string][]) {
      const [method = '', path = ''] = route.split(' ')
      const [, room = ''] = /^\/v1\/([a-z-]+)\/:id/.exec(path) ?? []
      for (const id of hidden[room] ?? []) {
        const answers = []
        for (const named of [id, /^\d+$/.test(id) ? '987654' : id.replace(/^..../, '0000')]) {
          const at = path
            .replace(':id', named)
            .replace(':n', '1')
            .replace(':stream', 'stdout')
            .replace(':hash', fileHash)
            .replace(':commentId', comment.body.id)
          const body = ['GET', 'DELETE'].includes(method) ? {} : { body: bodies[operation] ?? {} }
          const reply = await api.ask(at, { method, headers, ...body })
          const { requestId: _of, instance: _at, ...words } = reply.body ?? {}
          answers.push(JSON.stringify([reply.status, words]).replaceAll(named, 'NAMED'))
          if (!statusesOf(operation).includes(reply.status))
            sentences.push(`${operation} ${reply.text}`)
        }
        if (answers[0] !== answers[1]) sentences.push(`${operation} ${answers.join(' | ')}`)
      }
    }
    expect(sentences).toEqual([])
  },
)
