import { expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { putContent } from '#store/content/content.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun, type RequestOptions } from '../../harness/fixtures/gated-run.ts'
import { addPerson } from '../../harness/fixtures/people.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'
import { answerAsk } from '../judging.ts'
import { createTestApi } from '../test-api.ts'

let position = 0

const api = disposeAfterTests(await createTestApi())
const grace = await api.signIn(api.people.grace)
const run = await addRun(api.service, { startedBy: api.people.ada })

const pending = (options: RequestOptions = {}) =>
  addRequest(api.service, run, { position: ++position, ...options })

test('a request is found by id and by number, with an ETag that changes with it', async () => {
  const { id, digest } = await pending()
  const first = await grace.get(`/v1/requests/${id}`)
  const byNumber = await grace.get(`/v1/requests/${first.body.number}`)
  expect(byNumber.body).toEqual(first.body)
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^".+"$/)
  const same = await grace.get(`/v1/requests/${id}`, { 'if-none-match': etag })
  expect(same).toMatchObject({ status: 304, text: '' })
  for (const tags of [`W/${etag}`, `"other", W/${etag}`, '*']) {
    const still = await grace.get(`/v1/requests/${id}`, { 'if-none-match': tags })
    expect(still).toMatchObject({ status: 304, text: '' })
  }
  for (const tags of ['"other", "sha256:0"', etag.slice(1, -1), '']) {
    const other = await grace.get(`/v1/requests/${id}`, { 'if-none-match': tags })
    expect(other.status).toBe(200)
  }
  await grace.post(`/v1/requests/${id}/comments`, { text: 'looking' })
  const changed = await grace.get(`/v1/requests/${id}`, { 'if-none-match': etag })
  expect(changed.status).toBe(200)
  expect(changed.body.comments).toMatchObject([{ text: 'looking', person: { name: 'Grace' } }])
  expect(changed.body.digest).toBe(digest)
})

test('the page of a request has every field of the contract', async () => {
  const { id } = await pending()
  const { body } = await grace.get(`/v1/requests/${id}`)
  expect(body).toMatchObject({
    revision: 1,
    state: 'pending',
    kind: 'tool_call',
    claim: null,
    agentReason: null,
    decidedAt: null,
    supersededBy: null,
    quorum: {
      required: [{ team: 'platform', count: 1 }],
      counted: [],
      missing: [{ team: 'platform', count: 1 }],
      text: '1 of platform',
    },
    eligibility: { canDecide: true, reason: null },
    allowedDecisions: ['approve', 'deny'],
    allowedScopes: ['once', 'run', 'path'],
    scopeCoverage: [
      { scope: 'once', covers: ['This call, once.'] },
      { scope: 'run', digest: body.digest, path: null, files: [] },
      { scope: 'path', digest: null, path: body.input.path },
    ],
    scopesNotOffered: [],
    decisions: [],
    previous: [],
    execution: { state: 'not_started' },
    lineage: [{ runId: run.id, worker: 'scribe', startedBy: { name: 'Ada' } }],
  })
  expect(body.eligiblePeople.map((person: { name: string }) => person.name)).toEqual([
    'Grace',
    'Linus',
  ])
})

test('items of a list leave out what only the page shows', async () => {
  await pending()
  const { body } = await grace.get('/v1/requests?limit=1')
  for (const field of ['input', 'presentation', 'previous', 'decisions', 'eligiblePeople']) {
    expect(body.items[0]).not.toHaveProperty(field)
  }
  expect(body.items[0].batch).not.toHaveProperty('siblings')
  expect(body.nextCursor).toEqual(expect.any(String))
})

test('pages follow one another without a gap or a repetition, in every order', async () => {
  for (let count = 0; count < 7; count++) await pending({ risk: count % 2 === 0 ? 'high' : 'low' })
  for (const sort of ['createdAt', 'expiresAt', 'risk']) {
    const all = await grace.get(`/v1/requests?sort=${sort}&limit=200`)
    const ids: string[] = []
    let cursor = ''
    do {
      const page = await grace.get(`/v1/requests?sort=${sort}&limit=2${cursor}`)
      ids.push(...page.body.items.map((item: { id: string }) => item.id))
      cursor = page.body.nextCursor === null ? '' : `&cursor=${page.body.nextCursor}`
    } while (cursor !== '')
    expect(ids).toEqual(all.body.items.map((item: { id: string }) => item.id))
  }
})

test.each([
  'state=open',
  'risk=extreme',
  'sort=number',
  'mine=yes',
  'limit=0',
  'limit=201',
  'limit=ten',
  'limit=1&limit=2',
  'runId=seven',
  'queue=nowhere',
  'queue=%00',
  'q=%00',
  'cursor=nonsense',
  `cursor=${Buffer.from('["createdAt","yesterday","7"]').toString('base64url')}`,
  `cursor=${Buffer.from('["createdAt","2026-01-01","nope"]').toString('base64url')}`,
  'colour=red',
])('the query %s is 422 invalid_request', async (query) => {
  const reply = await grace.get(`/v1/requests?${query}`)
  expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
})

// Rules: security.md 20
test('a value that looks like a secret is masked in lists, and shown to the people who decide', async () => {
  const secret = `ghp_${'a1'.repeat(18)}`
  const { id } = await pending({ input: { path: `notes/${secret}.md`, content: 'x' } })
  const list = await grace.get('/v1/requests?limit=200')
  expect(list.text).not.toContain(secret)
  expect(list.text).toContain(`[GitHub token, 40 characters, ${hashBytes(secret).slice(0, 19)}…]`)
  expect((await grace.get(`/v1/requests/${id}`)).text).toContain(secret)
  await grace.post(`/v1/requests/${id}/comments`, { text: `Who has ${secret}?` })
  const { about } = (await grace.get(`/v1/audit?about=true&requestId=${id}`)).body
  expect(about).toMatchObject({
    requests: [{ effect: expect.stringContaining('[GitHub token') }],
    words: [{ text: expect.stringMatching(/^Who has .GitHub token/) }],
  })
  expect(JSON.stringify(about)).not.toContain(secret)
})

// Rules: security.md 20
test('showing a masked value is recorded by its form and length, for who may see the request, and never the value', async () => {
  const { id } = await pending()
  const body = { revision: 1, kind: 'GitHub token', characters: 40 }
  expect((await grace.post(`/v1/requests/${id}/reveals`, body)).status).toBe(200)
  const refused = [{ revision: 2 }, { kind: 'the value itself' }, { characters: 0 }, { value: 'x' }]
  for (const wrong of refused) {
    const answer = await grace.post(`/v1/requests/${id}/reveals`, { ...body, ...wrong })
    expect(answer.status, JSON.stringify(wrong)).toBe(422)
  }
  const stranger = await api.signIn(await addPerson(api.service.db, 'Sly', ['auditors']))
  expect((await stranger.post(`/v1/requests/${id}/reveals`, body)).status).toBe(404)
  const trail = await grace.get(`/v1/audit?requestId=${id}&type=content.revealed`)
  expect(trail.body.items).toHaveLength(1)
  expect(trail.body.items[0]).toMatchObject({
    actor: { type: 'person', name: 'Grace' },
    detail: { revision: 1, secret: { kind: 'GitHub token', characters: 40 } },
  })
})

// Rules: product.md 26
test('every byte comes back as it is, as text or a download and never as a page, and reading it is recorded', async () => {
  const { id } = await pending()
  const bytes = Buffer.from('<script>alert(1)</script>\u202e\r\n\u0000', 'utf8')
  const hash = await putContent(api.service.db, bytes)
  const change = async (values: { content_type: string; content_hash?: string }) => {
    const { db } = api.service
    await db.updateTable('request_revision').where('request_id', '=', id).set(values).execute()
    await sealRows(db, 'request_revision', 'request_id', id)
  }
  await change({ content_hash: hash, content_type: 'text/plain' })
  const text = await grace.get(`/v1/requests/${id}/content`)
  expect(Buffer.from(text.text)).toEqual(bytes)
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(text.headers.get('x-content-digest')).toBe(hash)
  await change({ content_type: 'application/octet-stream' })
  const download = await grace.get(`/v1/requests/${id}/content`)
  expect(download.headers.get('content-type')).toBe('application/octet-stream')
  expect(download.headers.get('content-disposition')).toBe('attachment')
  const trail = await grace.get(`/v1/audit?requestId=${id}&type=content.revealed`)
  expect(trail.body.items).toHaveLength(2)
  expect(trail.body.items[0].actor).toMatchObject({ type: 'person', name: 'Grace' })
})

// Rules: product.md 26
test.each([
  '<img src=x onerror=alert(1)>',
  '"; drop table request; --',
  '\u202egnp.exe',
  '${7*7}{{7*7}}',
  '😀'.repeat(100),
  '\u0007\u001b[2J',
])('hostile words %j come back as they were', async (words) => {
  const { id } = await pending()
  expect((await grace.post(`/v1/requests/${id}/comments`, { text: words })).status).toBe(201)
  const { body } = await grace.get(`/v1/requests/${id}`)
  expect(body.comments[0].text).toBe(words)
  const found = await grace.get(`/v1/requests?q=${encodeURIComponent(words.slice(0, 50))}`)
  expect(found.status).toBe(200)
})

// Rules: product.md 7
test('a repeated decision with its key gets the original answer; the key with another body 422', async () => {
  const { id, digest } = await pending()
  const path = `/v1/requests/${id}/decisions`
  const body = { decision: 'deny', digest, revision: 1, reason: 'use yarn' }
  const key = { 'idempotency-key': 'once' }
  const first = await grace.post(path, body, key)
  expect(first.body).toMatchObject({ state: 'denied', stage: 'recorded' })
  expect((await grace.post(path, body, key)).body).toEqual(first.body)
  expect(await grace.post(path, { ...body, reason: 'other' }, key)).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  })
  expect(await grace.post(path, body)).toMatchObject({
    status: 409,
    body: { code: 'already_decided', state: 'denied', decidedBy: 'Grace', reason: 'use yarn' },
  })
})

test('a repeated decision with its key gets the present stage with Prefer: wait, and the original answer without it', async () => {
  const { id, digest } = await pending()
  const decide = (headers: Record<string, string> = {}) =>
    grace.post(
      `/v1/requests/${id}/decisions`,
      { decision: 'deny', digest, revision: 1 },
      { 'idempotency-key': 'stage', ...headers },
    )
  const first = await decide()
  expect(first.body.stage).toBe('recorded')
  await api.service.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
  expect((await decide()).body).toEqual(first.body)
  expect((await decide({ prefer: 'wait=1' })).body).toEqual({ ...first.body, stage: 'delivered' })
})

test('Prefer: wait answers as soon as the signal is delivered, and after n seconds at the latest', async () => {
  const denied = await pending()
  const body = { decision: 'deny', digest: denied.digest, revision: 1 }
  const waiting = grace.post(`/v1/requests/${denied.id}/decisions`, body, { prefer: 'wait=30' })
  const relay = setInterval(() => {
    void api.service.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
  }, 50)
  const delivered = await waiting
  clearInterval(relay)
  expect(delivered.body.stage).toBe('delivered')
  expect(delivered.headers.get('preference-applied')).toBe('wait=30')
  const other = await pending()
  const approval = { decision: 'approve', digest: other.digest, revision: 1 }
  const recorded = await grace.post(`/v1/requests/${other.id}/decisions`, approval, {
    prefer: 'respond-async, wait=1',
  })
  expect(recorded).toMatchObject({ status: 200, body: { state: 'approved', stage: 'recorded' } })
})

test('an edit makes the next revision, which the old digest no longer decides', async () => {
  answerAsk(api.service)
  const { id, digest } = await pending()
  const revised = await grace.post(`/v1/requests/${id}/revisions`, {
    input: { path: 'notes/1.md', content: 'edited\n' },
    digest,
    revision: 1,
  })
  expect(revised.body).toMatchObject({
    revision: 2,
    title: 'Write the edited note',
    presentation: { content: 'edited\n' },
    revisions: [
      { revision: 1, editor: null },
      { revision: 2, editor: { name: 'Grace' } },
    ],
  })
  const stale = { decision: 'approve', digest, revision: 1 }
  expect((await grace.post(`/v1/requests/${id}/decisions`, stale)).status).toBe(412)
})

test('each of several decisions is answered alone, with the facts of its own refusal', async () => {
  const [one, other] = [await pending(), await pending()]
  const reply = await grace.post('/v1/decisions', {
    decisions: [
      { requestId: one.id, decision: 'deny', digest: one.digest, revision: 1 },
      { requestId: one.id, decision: 'deny', digest: one.digest, revision: 1 },
      { requestId: other.id, decision: true, digest: other.digest, revision: 1 },
      { requestId: '999999', decision: 'deny', digest: other.digest, revision: 1 },
    ],
  })
  expect(reply.body.items).toMatchObject([
    { requestId: one.id, status: 200, state: 'denied' },
    { status: 409, code: 'already_decided', decidedBy: 'Grace' },
    { status: 422, code: 'invalid_request' },
    { status: 404, code: 'not_found' },
  ])
  const many = Array.from({ length: 201 }, () => ({ requestId: one.id }))
  expect((await grace.post('/v1/decisions', { decisions: many })).status).toBe(422)
})
