import { describe, expect, test } from 'vitest'
import type { EventFeed as Feed } from '#api/context/api.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { callbackSecret } from '#services/external/callback-secret.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { openFeed } from '../../harness/open-feed.ts'
import { createTestDatabase } from '../../harness/postgres.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { rowOf } from '../../harness/fixtures/rows.ts'
import { createProgram } from '../program.ts'
import { createTestApi, type Reply } from '../test-api.ts'
import { decideAsShown } from './as-shown.ts'

const readings = { since: 0, subscribers: 0 }

const database = await createTestDatabase()
const live = openFeed(database)
const events = counted(live.feed)
const api = disposeAfterTests(await createTestApi({ database, events }))
disposeAfterTests(live)
const grace = await api.signIn(api.people.grace)
const program = await createProgram(api, await api.signIn(api.people.ada))

function counted(real: Feed): Feed {
  return {
    latest: () => real.latest(),
    since: (sequence, limit) => {
      readings.since += 1
      return real.since(sequence, limit)
    },
    subscribeText: (runId, listener) => real.subscribeText(runId, listener),
    subscribe: (listener) => {
      readings.subscribers += 1
      const stop = real.subscribe(listener)
      return () => {
        readings.subscribers -= 1
        stop()
      }
    },
  }
}

const origin = { program: 'deployer', version: '1.2', host: 'laptop', folder: '/srv/project' }
const git = { remote: 'git@example.com:shop.git', commit: 'ab'.repeat(20), dirty: true }
const reported = (path: string, content: string) => ({ path, hash: hashBytes(content), content })

let callCount = 0
const call = (more: Record<string, unknown> = {}) => ({
  tool: 'deploy',
  input: { version: '1.2' },
  externalId: `deploy-${++callCount}`,
  ...more,
})
const open = async (): Promise<Reply['body']> => (await program.post('/v1/requests', call())).body
const decide = (request: Reply['body'], decision: string): Promise<Reply> =>
  decideAsShown(grace, request, decision)

describe('long polling', () => {
  test('holds the answer until somebody decides, for any number of waiters with one reader of the feed', async () => {
    const requests = await Promise.all(Array.from({ length: 10 }, open))
    const [first, ...others] = requests
    const waiting = requests.flatMap(({ id }) =>
      Array.from({ length: 3 }, () => program.get(`/v1/requests/${id}?wait=60`)),
    )
    await waitUntil(() => readings.subscribers === 1 || 'nobody waits yet')
    await Promise.all(others.map((request) => decide(request, 'approve')))
    await decide(first, 'deny')
    const answers = await Promise.all(waiting)
    expect(answers.slice(0, 3).map(({ body }) => body.state)).toEqual([
      'denied',
      'denied',
      'denied',
    ])
    expect(new Set(answers.slice(3).map(({ body }) => body.state))).toEqual(new Set(['approved']))
    expect(readings.subscribers).toBe(0)
    // Each decision may wake the reader; the thirty who wait read nothing of it themselves.
    expect(readings.since).toBeLessThan(60)
  })

  test('tells nothing to a key that is revoked, or a person who is signed out, while they wait', async () => {
    const { id } = await open()
    const owner = await api.signIn(api.people.ada)
    const made = await owner.post('/v1/keys', { name: 'taken', scopes: ['requests:read'] })
    const headers = { authorization: `Bearer ${made.body.key}` }
    const waiting = [
      api.ask(`/v1/requests/${id}?wait=3`, { headers }),
      owner.get(`/v1/requests/${id}?wait=3`),
    ]
    await waitUntil(() => readings.subscribers === 1 || 'nobody waits yet')
    expect((await owner.delete(`/v1/keys/${made.body.id}`)).status).toBeLessThan(300)
    expect((await owner.post('/v1/auth/logout')).status).toBeLessThan(300)
    for (const reply of await Promise.all(waiting)) {
      expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(reply.text).not.toContain(id)
    }
  })

  test('ends after the time that was asked for, with the request as it is', async () => {
    const { id } = await open()
    const answer = await program.get(`/v1/requests/${id}?wait=1`)
    expect(answer).toMatchObject({ status: 200, body: { state: 'pending' } })
    expect(readings.subscribers).toBe(0)
  })

  test('answers at once what is decided already, and refuses to hold longer than a minute', async () => {
    const request = await open()
    await decide(request, 'approve')
    const answer = await program.get(`/v1/requests/${request.id}?wait=60`)
    expect(answer.body.state).toBe('approved')
    for (const wait of ['61', '-1', 'x', '1.5']) {
      const refused = await program.get(`/v1/requests/${request.id}?wait=${wait}`)
      expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
    }
  })
})

describe('a program', () => {
  // Rules: product.md 26; security.md 20
  test('has its words for the task whole in its request; a list masks them, cuts them and counts the rest', async () => {
    const words = 'y'.repeat(3_990)
    const secret = `ghp_${'a1'.repeat(18)}`
    const task = `${words} ${secret} ${'z'.repeat(1_000)}`
    const { body } = await program.post('/v1/requests', call({ metadata: { task } }))
    expect((await grace.get(`/v1/requests/${body.id}`)).body.claimedTask).toBe(task)
    const { items } = (await grace.get(`/v1/requests?q=%23${body.number}`)).body
    expect(items).toHaveLength(1)
    expect(items[0].claimedTask).toMatch(/^y{3990} \[GitHub … \([\d,]+ more characters\)$/)
  })

  test('asks, takes the permit once and says what became of it', async () => {
    const asking = call({
      metadata: { ticket: 'OPS-7' },
      title: 'Roll out',
      callbackUrl: 'https://deployer.example.com/hook',
    })
    const opened = await program.post('/v1/requests', asking)
    expect(opened).toMatchObject({
      status: 201,
      body: {
        kind: 'external',
        state: 'pending',
        verdict: 'ask',
        risk: 'high',
        externalId: asking.externalId,
        metadata: { ticket: 'OPS-7' },
        external: { owner: { name: 'Ada' }, key: { name: 'deployer' } },
      },
    })
    expect(opened.headers.get('location')).toBe(`/v1/requests/${opened.body.id}`)
    const path = `/v1/requests/${opened.body.id}`
    expect(await program.post(`${path}/consume`)).toMatchObject({
      status: 428,
      body: { code: 'digest_required' },
    })
    const { digest } = opened.body
    expect(await program.post(`${path}/consume`, { digest })).toMatchObject({
      status: 409,
      body: { code: 'conflict', state: 'pending' },
    })
    await decide(opened.body, 'approve')
    const taken = await program.post(`${path}/consume`, { digest })
    expect(taken).toMatchObject({ status: 200, body: { permit: { digest, keyId: 'test-key' } } })
    expect(JSON.parse(taken.body.permit.statement)).toMatchObject({ digest, decision: 'approve' })
    expect(await program.post(`${path}/consume`, { digest })).toMatchObject({
      status: 409,
      body: { code: 'already_consumed' },
    })
    const outcome = await program.post(`${path}/outcome`, { state: 'succeeded', summary: 'done' })
    expect(outcome.status).toBe(200)
    const again = await program.post('/v1/requests', asking)
    expect(again).toMatchObject({
      status: 201,
      body: {
        id: opened.body.id,
        state: 'approved',
        execution: { state: 'succeeded' },
        external: { outcome: { state: 'succeeded', summary: 'done' } },
      },
    })
    const { callback_url, callback_secret } = await rowOf(api.database.db, 'external_request', {
      request_id: opened.body.id,
    })
    expect({ callback_url, callback_secret }).toEqual({
      callback_url: 'https://deployer.example.com/hook',
      callback_secret: callbackSecret(program.key),
    })
    const list = await grace.get('/v1/requests?q=deployer&limit=200')
    expect(list.text).toContain(asking.externalId)
  })

  test('is found by its own name alone, however many requests contain that word', async () => {
    const named = call({})
    const { body } = await program.post('/v1/requests', named)
    await program.post('/v1/requests', call({ title: `About ${named.externalId}` }))
    const list = await program.get(`/v1/requests?externalId=${named.externalId}`)
    expect(list.body).toMatchObject({ items: [{ id: body.id }], nextCursor: null })
    const none = await program.get(`/v1/requests?externalId=${named.externalId.slice(1)}`)
    expect(none.body.items).toEqual([])
  })

  test.each([
    ['a callback without TLS', { callbackUrl: 'http://example.com/hook' }, 'callbackUrl'],
    ['a callback with a password', { callbackUrl: 'https://a:b@example.com/' }, 'callbackUrl'],
    ['a callback to a private address', { callbackUrl: 'https://10.0.0.1/hook' }, 'callbackUrl'],
    ['a callback to this host', { callbackUrl: 'https://localhost/hook' }, 'callbackUrl'],
    ['a blank externalId', { externalId: ' ' }, 'externalId'],
    ['a blank title', { title: ' \n' }, 'title'],
    ['an unknown field', { risk: 'low' }, 'risk'],
    ['no object for its input', { input: 'x' }, 'input'],
    ['half a surrogate pair', { input: { text: '\ud800' } }, 'surrogate'],
    ['metadata over its bound', { metadata: { text: 'x'.repeat(17_000) } }, 'metadata'],
    ['metadata with a NUL', { metadata: { text: 'a\u0000b' } }, 'metadata'],
    ['a name that is none', { tool: 'rm -rf' }, 'tool'],
    ['an externalId over its bound', { externalId: 'x'.repeat(201) }, 'externalId'],
    ['a title over its bound', { title: 'x'.repeat(201) }, 'title'],
    ['markup for a presentation', { presentation: { type: 'html', content: '' } }, 'presentation'],
  ])('is refused with the field named when it sends %s', async (_, more, field) => {
    const refused = await program.post('/v1/requests', call(more))
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
    expect(refused.text).toContain(field)
  })

  test.each([
    ['no host', { host: undefined }, 'origin.host'],
    ['an unknown member', { user: 'root' }, 'user'],
    ['a folder over its bound', { folder: `/${'x'.repeat(4096)}` }, 'origin.folder'],
    ['a NUL', { host: 'a\u0000b' }, 'origin.host'],
    ['a commit that is none', { git: { ...git, commit: 'HEAD' } }, 'origin.git.commit'],
    ['a password', { git: { ...git, remote: 'https://a:b@x.y/z' } }, 'origin.git.remote'],
    ['a token', { git: { ...git, remote: 'https://token@x.y/z' } }, 'origin.git.remote'],
    ['a proof in capitals', { proof: 'AB'.repeat(32) }, 'origin.proof'],
    ['a proof cut short', { proof: 'ab'.repeat(31) }, 'origin.proof'],
    ['no proof at all', { proof: null }, 'origin.proof'],
    ['a hash that is none', { files: [{ path: 'a', hash: 'md5:1' }] }, 'origin.files.0.hash'],
    [
      'a hash of other contents',
      { files: [reported('a', 'x'), { ...reported('b', 'x'), content: 'y' }] },
      'origin.files.1.hash',
    ],
    [
      'contents of a file that is not there',
      { files: [{ path: 'a', hash: 'absent', content: '' }] },
      'origin.files.0.hash',
    ],
    ['a path twice', { files: [reported('a', 'x'), reported('a', 'y')] }, 'origin.files'],
    [
      'too many files',
      { files: Array.from({ length: 51 }, (_, at) => reported(`${at}`, '')) },
      'origin.files',
    ],
    ['eight megabytes', { files: [reported('a', 'x'.repeat(8 << 20))] }, 'origin.files.0.content'],
    [
      'eight megabytes in pieces',
      { files: Array.from({ length: 8 }, (_, at) => reported(`${at}`, 'x'.repeat(1 << 20))) },
      'origin.files',
    ],
    [
      'a megabyte that is two in UTF-8',
      { files: [reported('a', 'é'.repeat(1 << 20))] },
      'origin.files.0.content',
    ],
  ])('is refused with the field named when its origin has %s', async (_, more, field) => {
    const refused = await program.post('/v1/requests', call({ origin: { ...origin, ...more } }))
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
    expect(refused.text).toContain(field)
  })

  // Rules: product.md 46
  test('says where it works, which comes back as it was reported, and without the proof', async () => {
    const files = [reported('notes/a.md', 'a\n'), { path: 'notes/b.md', hash: 'absent' }]
    const asking = call({ origin: { ...origin, git, files, proof: 'ab'.repeat(32) } })
    const { body, status, text } = await program.post('/v1/requests', asking)
    expect(status).toBe(201)
    expect(body.external.origin).toEqual({ ...origin, git, files, proved: false })
    expect(text).not.toContain('ab'.repeat(32))
    expect(body.presentation.warnings[0]).toContain('As reported by “laptop”')
    const again = await program.post('/v1/requests', { ...asking, origin: { ...origin, git } })
    const code = 'idempotency_key_reused'
    expect(again).toMatchObject({ status: 422, body: { code, request: body.id } })
  })

  test('may report four megabytes of files beside eight of arguments', async () => {
    const files = Array.from({ length: 4 }, (_, at) =>
      reported(`${at}`, 'line of text\n'.repeat(80_000)),
    )
    const input = { path: '0', content: 'other text\n'.repeat(600_000) }
    const { body, status } = await program.post(
      '/v1/requests',
      call({ input, origin: { ...origin, files } }),
    )
    expect(status).toBe(201)
    expect(body.external.origin.files).toHaveLength(4)
  })

  test('may describe its call as any text that a presentation is; all are its claim, beside the arguments', async () => {
    for (const type of ['text', 'diff', 'file_content', 'command', 'structured']) {
      const presentation = { type, content: 'rm -rf build', language: 'bash' }
      const { body, status } = await program.post('/v1/requests', call({ presentation }))
      expect(status, type).toBe(201)
      expect(body).toMatchObject({
        external: { claim: { title: null, presentation } },
        presentation: { type: 'structured' },
      })
    }
  })

  test('needs a key with requests:write; people do not ask this way', async () => {
    const reader = await createProgram(api, grace, ['requests:read'])
    expect(await reader.post('/v1/requests', call())).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    expect(await grace.post('/v1/requests', call())).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
  })
})
