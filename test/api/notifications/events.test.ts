import { expect, test } from 'vitest'
import { writeRecords } from '#store/records/records.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { openFeed } from '../../harness/open-feed.ts'
import { createTestDatabase } from '../../harness/postgres.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import { createTestApi, type Client } from '../test-api.ts'
import { joinTeam } from '../../harness/fixtures/people.ts'

const database = await createTestDatabase()
const live = openFeed(database)
const { feed } = live
const settings = { heartbeatMs: 100 }
const api = disposeAfterTests(await createApiWithActivators({ database, events: feed, settings }))
disposeAfterTests(live)
const run = await addRun(api.service, { startedBy: api.people.ada })
const { id: runId } = run
const { id: requestId } = await addRequest(api.service, run)

interface Seen {
  readonly id: number
  readonly type: string
  readonly data: Record<string, string>
}

/** An open stream: its frames so far, whether it has ended, and a function that closes it. */
async function listen(client: Pick<Client, 'headers'>, lastEventId?: string) {
  const leave = new AbortController()
  const response = await fetch(`${api.url}/v1/events`, {
    headers: {
      ...client.headers,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: leave.signal,
  })
  const stream = { seen: [] as Seen[], text: '', ended: false, leave: () => leave.abort() }
  const reading = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      stream.text += decoder.decode(chunk, { stream: true })
      stream.seen = seenIn(stream.text)
    }
    stream.ended = true
  }
  reading().catch(() => undefined)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  await waitUntil(async () => stream.text.includes('retry: '))
  return stream
}

function seenIn(text: string): Seen[] {
  return [...text.matchAll(/id: (\d+)\nevent: (\S+)\ndata: (.*)\n\n/g)].map(
    ([, id, type, data]) => ({ id: Number(id), type: type ?? '', data: JSON.parse(data ?? '') }),
  )
}

const change = (subject: Record<string, string>) =>
  api.service.db
    .transaction()
    .execute((tx) => writeRecords(tx, { events: [{ type: 'request.changed', subject }] }, null))

test('a stream that breaks again and again is told every event once, in order', async () => {
  const grace = await api.signIn(api.people.grace)
  const first = await listen(grace)
  const events: Seen[] = []
  const total = 300
  const writing = Promise.all(
    Array.from({ length: total }, (_, index) => change({ requestId, mark: String(index) })),
  )
  let stream = first
  while (events.length < total) {
    await waitUntil(async () => stream.seen.length > 0)
    stream.leave()
    events.push(...stream.seen)
    stream = await listen(grace, String(events.at(-1)?.id))
    expect(stream.text).toMatch(/^: heartbeat=100\nretry: 2000\n\n/)
  }
  await writing
  stream.leave()
  const ids = events.map((event) => event.id)
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other))
  const marks = events.map((event) => Number(event.data['mark']))
  expect(new Set(marks).size).toBe(total)
})

test('a stream that begins at the position in the answer about the caller has the events from before it opened', async () => {
  const grace = await api.signIn(api.people.grace)
  const { body: me } = await grace.get('/v1/me')
  const before = await feed.latest()
  await change({ requestId, mark: 'before it opened' })
  await waitUntil(async () => (await feed.latest()) > before)
  const stream = await listen(grace, me['lastEventId'])
  await waitUntil(async () => stream.seen.length > 0)
  expect(stream.seen.map((event) => event.data['mark'])).toEqual(['before it opened'])
  stream.leave()
})

test('people hear only of what they may see, from the moment they may', async () => {
  const [grace, edsger] = [await api.signIn(api.people.grace), await api.signIn(api.people.edsger)]
  const [hers, his] = [await listen(grace), await listen(edsger)]
  await change({ requestId, runId })
  await waitUntil(async () => hers.seen.length === 1)
  expect(his.seen).toEqual([])
  const { db } = api.service
  await joinTeam(db, api.people.edsger.id, 'platform')
  await change({ requestId, runId })
  await waitUntil(async () => hers.seen.length === 2 && his.seen.length === 1)
  expect(his.seen[0]?.data).toEqual({ requestId, runId })
  await db
    .deleteFrom('team_member')
    .where('person_id', '=', api.people.edsger.id)
    .where('team', '=', 'platform')
    .execute()
  hers.leave()
  his.leave()
})

test('a stream ends with its session', async () => {
  const grace = await api.signIn(api.people.grace)
  const stream = await listen(grace)
  await grace.post('/v1/auth/logout')
  await waitUntil(async () => stream.ended)
})

// Rules: product.md 18; security.md 21
test('a stream ends when its session is ended elsewhere, its key is rotated away, or its person disabled', async () => {
  const linus = await api.signIn(api.people.linus)
  const scopes = ['requests:read']
  const { id, key } = (await linus.post('/v1/keys', { name: 'robot', scopes })).body
  const ofKey = await listen({ headers: { authorization: `Bearer ${key}` } })
  const ofSession = await listen(await api.signIn(api.people.linus))
  const ofPerson = await listen(linus)
  await linus.post('/v1/sessions/end-others')
  await waitUntil(async () => ofSession.ended)
  await linus.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 0 })
  await waitUntil(async () => ofKey.ended)
  expect(ofPerson.ended).toBe(false)
  const olga = await api.signIn(api.people.olga)
  expect((await olga.post('/v1/people/linus@example.com/disable')).status).toBe(200)
  await waitUntil(async () => ofPerson.ended)
})

test('streams end at once when the process stops', async () => {
  const stopping = new AbortController()
  await using other = await createTestApi({ events: feed, stopping: stopping.signal })
  const grace = await other.signIn(other.people.grace)
  const headers = { cookie: grace.headers['cookie'] ?? '' }
  const response = await fetch(`${other.url}/v1/events`, { headers })
  stopping.abort()
  expect(await response.text()).toMatch(/^: heartbeat=10000\nretry: 2000\nid: \d+\n\n$/)
})

test('a silent stream is kept open with comments', async () => {
  const grace = await api.signIn(api.people.grace)
  const stream = await listen(grace)
  expect(stream.text).toMatch(/^: heartbeat=100\n/)
  await waitUntil(async () => stream.text.split(': still here').length > 2)
  expect(stream.seen).toEqual([])
  stream.leave()
})

test('a stream from the future, of a database that was restored, goes on from the present', async () => {
  const grace = await api.signIn(api.people.grace)
  const stream = await listen(grace, '999999999')
  await change({ requestId })
  await waitUntil(async () => stream.seen.length === 1)
  stream.leave()
})

test('a caller without a session or key, and one with a foreign Last-Event-ID, get no stream', async () => {
  expect((await api.ask('/v1/events')).status).toBe(401)
  const grace = await api.signIn(api.people.grace)
  const reply = await grace.get('/v1/events', { 'last-event-id': '1; drop' })
  expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
})
