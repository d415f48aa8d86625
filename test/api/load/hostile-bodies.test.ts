import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../program.ts'
import { createTestApi } from '../test-api.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

const api = disposeAfterTests(await createTestApi())
const ada = await api.signIn(api.people.ada)
const program = await createProgram(api, ada)

const send = (rawBody: string, headers: Record<string, string> = {}) =>
  api.ask('/v1/requests', {
    method: 'POST',
    rawBody,
    headers: {
      authorization: `Bearer ${program.key}`,
      'content-type': 'application/json',
      ...headers,
    },
  })

// Rules: security.md 37
describe('one body', () => {
  test('of 600,000 keys is refused with its bound, and is not read on the event loop', async () => {
    const keys = Array.from({ length: 600_000 }, (_, at) => `"key${at}":1`).join(',')
    const before = process.threadCpuUsage()
    const sent = await send(`{"tool":"x","externalId":"1","input":{${keys}}}`)
    const { user, system } = process.threadCpuUsage(before)
    expect(sent).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', detail: expect.stringContaining('50000 keys and values') },
    })
    // Sending and receiving it is in here; parsing it took 1.2 s more.
    expect((user + system) / 1000).toBeLessThan(800)
  })

  test('of eight megabytes of honest text is read', async () => {
    const content = 'line of text\n'.repeat(600_000)
    const input = { path: 'a', content }
    const reply = await send(JSON.stringify({ tool: 'big', externalId: 'big', input }))
    expect(reply.status).toBe(201)
  })

  test.each([
    ['a number beyond 2^53', '{"tool":"x","externalId":"n","input":{"a":9007199254740993}}'],
    ['a number with more digits than anybody keeps', '{"a":0.30000000000000000001}'],
    ['brackets and nothing else', '['.repeat(1_000_000)],
    ['texts of brackets that never end', `{"a":"${'['.repeat(1_000_000)}`],
  ])('with %s is refused', async (_what, text) => {
    expect(await send(text)).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
  })

  test.each(['gzip', 'br', 'deflate', 'zstd'])(
    'that is compressed (%s) is refused unread',
    async (encoding) => {
      const reply = await send('x'.repeat(1000), { 'content-encoding': encoding })
      expect(reply).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    },
  )

  test.each(['multipart/form-data; boundary=x', 'text/plain', 'application/x-www-form-urlencoded'])(
    'of the type %s is refused',
    async (type) => {
      expect(await send('a=1', { 'content-type': type })).toMatchObject({ status: 415 })
    },
  )
})

// Rules: security.md 37
test('large bodies that stall take four places of their caller, and keep nobody else waiting', async () => {
  const linus = await api.signIn(api.people.linus)
  const content = 'line of text\n'.repeat(40_000)
  const { port } = new URL(api.url)
  const stalled = await Promise.all(
    ['content-length: 9000000', 'transfer-encoding: chunked'].flatMap((length) =>
      [1, 2, 3, 4].map(async () => {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => undefined)
        const head = `POST /v1/requests HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${program.key}`
        socket.write(
          `${head}\r\ncontent-type: application/json\r\n${length}\r\nexpect: 100-continue\r\n\r\n`,
        )
        await once(socket, 'data')
        return socket
      }),
    ),
  )
  // Each of these is answered after the connections from before have their places, or wait for one.
  for (const _time of stalled) expect((await program.get('/v1/requests')).status).toBe(200)
  let isRead = false
  const next = send(JSON.stringify({ tool: 'big', externalId: 'next', input: { content } })).then(
    (reply) => {
      isRead = true
      return reply
    },
  )
  for (const externalId of ['first', 'second']) {
    const body = { tool: 'big', externalId, input: { content } }
    const other = await createProgram(api, linus)
    expect((await other.post('/v1/requests', body)).status).toBe(201)
  }
  expect(isRead).toBe(false)
  for (const socket of stalled) socket.destroy()
  expect((await next).status).toBe(201)
})

describe('values of a query', () => {
  test.each(['0x10', '1e1', '+5', ' 5', '5 ', '05', '5.0', '', '-1', '９', '0', '201', 'NaN'])(
    'limit=%s is refused with its field',
    async (limit) => {
      const reply = await ada.get(`/v1/requests?limit=${encodeURIComponent(limit)}`)
      expect(reply).toMatchObject({
        status: 422,
        body: { code: 'invalid_request', field: 'limit' },
      })
    },
  )

  test('that are whole numbers are read, and one that is there twice is refused', async () => {
    expect((await ada.get('/v1/requests?limit=16')).status).toBe(200)
    expect((await ada.get('/v1/requests?limit=16&limit=16')).status).toBe(422)
  })

  test('that are days which do not exist are refused', async () => {
    const aud = await api.signIn(api.people.aud)
    for (const from of ['2031-02-30T00:00:00Z', '2031-01-01T24:00:00Z', '2031-02-28']) {
      expect(await aud.get(`/v1/audit?from=${from}`), from).toMatchObject({
        status: 422,
        body: { field: 'from' },
      })
    }
    expect((await aud.get('/v1/audit?from=2032-02-29T00:00:00Z')).status).toBe(200)
  })

  test('whose names are thousands are refused in a moment', async () => {
    const names = Array.from({ length: 2000 }, (_, at) => `a${at}=`).join('&')
    const before = process.threadCpuUsage()
    expect((await ada.get(`/v1/requests?${names}`)).status).toBe(422)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(800)
  })
})

test('a key that would end on a day that does not exist is not made', async () => {
  const body = { name: 'robot', scopes: ['runs:read'], expiresAt: '2031-02-30T00:00:00Z' }
  expect(await ada.post('/v1/keys', body)).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', field: 'expiresAt' },
  })
})

test('a request for an upgrade to another protocol is answered as the same request without it', async () => {
  const { port } = new URL(api.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    'GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  )
  const [first] = (await socket.take(1).toArray()) as Buffer[]
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
})
