import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { createTestApi } from './test-api.ts'

const api = disposeAfterTests(await createTestApi())
const aud = await api.signIn(api.people.aud)

/** Values that no list can have a row for, by the field of a query. */
const impossible: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  [
    '/v1/requests',
    {
      cursor: 'made-up',
      limit: '0',
      state: 'open',
      queue: 'no such queue',
      risk: 'severe',
      tool: 'rm -rf',
      runId: 'seven',
      rule: '\0',
      mine: 'yes',
      snoozed: '1',
      q: 'x'.repeat(201),
      sort: 'name',
    },
  ],
  ['/v1/requests', { q: ' ', externalId: ' ', rule: ' ' }],
  ['/v1/requests', { externalId: '', rule: '' }],
  ['/v1/runs', { cursor: 'made-up', limit: '201', state: 'done', worker: 'a b', startedBy: 'ada' }],
  [
    '/v1/audit',
    {
      cursor: 'made-up',
      limit: '1.5',
      type: 'request.open',
      actor: 'ada',
      requestId: '-1',
      runId: '0x10',
      from: '2026-02-30T00:00:00Z',
      to: 'yesterday',
      outside: '18:00',
      timeZone: 'Mars/Olympus',
      q: ' ',
      about: 'yes',
    },
  ],
  ['/v1/audit/export', { type: 'x', actor: 'somebody else', format: 'xml', from: '2026' }],
  ['/v1/workers', { cursor: 'made-up', limit: '-1', lines: 'all' }],
  ['/v1/queues', { cursor: 'made-up', limit: 'ten' }],
  ['/v1/people', { cursor: 'made-up', limit: '1e1' }],
  ['/v1/keys', { cursor: 'made-up', limit: ' 5' }],
  ['/v1/sessions', { cursor: 'made-up', limit: '', person: 'ada' }],
  ['/v1/credentials', { cursor: 'made-up', of: 'grace' }],
  ['/v1/webhooks/deliveries', { cursor: 'made-up', endpoint: 'a b', state: 'lost', mine: 'no!' }],
  ['/v1/policy/activations', { cursor: 'made-up', limit: '0' }],
  ['/v1/insights', { from: '2026-13-01T00:00:00Z', to: 'now', by: 'colour' }],
  ['/v1/search', { q: ' ', types: 'run,colour' }],
]
const rows = impossible.flatMap(([path, fields]) =>
  Object.entries(fields).map(([field, value]) => [path, field, value] as const),
)

test.each(rows)('GET %s refuses an impossible %s, %j, by name', async (path, field, value) => {
  const words = new URLSearchParams({
    ...(path === '/v1/search' ? { q: 'x' } : {}),
    [field]: value,
  })
  expect(await aud.get(`${path}?${words.toString()}`)).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', field },
  })
})

test.each([...new Set(impossible.map(([path]) => path))])(
  'GET %s refuses a field that it does not have',
  async (path) => {
    const reply = await aud.get(`${path}?${path === '/v1/search' ? 'q=x&' : ''}colour=red`)
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request', field: 'colour' } })
  },
)

test('a field without a name is refused as one of the query, or of the body', async () => {
  const refusal = (detail: string) => ({
    status: 422,
    body: { code: 'invalid_request', field: '', detail },
  })
  expect(await aud.get('/v1/runs?=x')).toMatchObject(
    refusal('The query: has a field without a name'),
  )
  expect(await aud.post('/v1/runs', { worker: 'scribe', input: 'Go', '': 'x' })).toMatchObject(
    refusal('The body: has a field without a name'),
  )
})

test('a query whose bytes are not UTF-8 is refused, and a percent sign alone is a character', async () => {
  const reply = await aud.get('/v1/search?q=%ff')
  expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
  expect((await aud.get('/v1/search?q=100%')).status).toBe(200)
})

test('an unknown endpoint is refused by name, to those who may see endpoints', async () => {
  const path = '/v1/webhooks/deliveries?endpoint=nobodys'
  expect(await aud.get(path)).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', field: 'endpoint' },
  })
  const ada = await api.signIn(api.people.ada)
  expect((await ada.get(path)).status).toBe(403)
  expect((await ada.get(`${path}&mine=true`)).body.items).toEqual([])
})

test('a time that ends before it begins is refused', async () => {
  const words = 'from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z'
  for (const path of ['/v1/requests', '/v1/audit', '/v1/audit/export', '/v1/insights']) {
    expect(await aud.get(`${path}?${words}`)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', field: 'from' },
    })
  }
})

test('an id of an actor finds the same events in upper case, as ids do in paths', async () => {
  const { id } = aud.me.person
  const { items } = (await aud.get(`/v1/audit?actor=${id}`)).body
  expect(items.length).toBeGreaterThan(0)
  expect((await aud.get(`/v1/audit?actor=${id.toUpperCase()}`)).body.items).toEqual(items)
})

test('a possible value that no row has gives an empty list', async () => {
  const key = '0123456789abcdef'
  for (const actor of ['nobody@example.com', key, key.toUpperCase()]) {
    expect(await aud.get(`/v1/audit?actor=${actor}`)).toMatchObject({
      status: 200,
      body: { items: [] },
    })
  }
  expect(await aud.get('/v1/audit?runId=999')).toMatchObject({ status: 200, body: { items: [] } })
})
