import { connect } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { boundConnections, listen } from './http-server.ts'

const address = { host: '127.0.0.1', port: 0, trustProxy: true }

test('a port that is taken is refused with one sentence', async () => {
  const first = await listen(() => undefined, address)
  const again = { ...address, port: first.port }
  await expect(listen(() => undefined, again)).rejects.toThrow(
    `port ${first.port} on 127.0.0.1 is taken by another program`,
  )
  await first.drain(0)
})

test('connections of one address beyond the bound are refused with a sentence, until one closes', async () => {
  const listening = await listen((_, response) => response.end('served'), address)
  boundConnections(listening.server, 1)
  const open = connect(listening.port, address.host)
  await once(open, 'connect')
  const url = `http://${address.host}:${listening.port}`
  const refused = await fetch(url)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await refused.json()).toMatchObject({ code: 'unavailable', status: 503 })
  open.destroy()
  await expect.poll(async () => (await fetch(url)).status).toBe(200)
  await listening.drain(0)
})

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'invalid_request',
  ],
  [
    'headers over their bound',
    `GET / HTTP/1.1\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'too_large',
  ],
  [
    'an unknown expectation',
    'GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n',
    417,
    'invalid_request',
  ],
])('%s is answered with problem details', async (_what, bytes, status, code) => {
  const listening = await listen((_, response) => response.end('served'), address)
  const socket = connect(listening.port, address.host)
  socket.write(bytes)
  const [head, body] = (await text(socket)).split('\r\n\r\n')
  expect(head).toContain(`HTTP/1.1 ${status} `)
  expect(head).toContain('content-type: application/problem+json')
  expect(JSON.parse(body ?? '')).toMatchObject({ status, code, requestId: expect.any(String) })
  await listening.drain(0)
})

// Rules: security.md 37
test.each([
  ['sends no HTTP', 'hello\r\n\r\n', 1],
  ['has one connection too many', '', 0],
])('a client that %s keeps no connection by never closing it', async (_which, bytes, bound) => {
  const listening = await listen(() => undefined, address)
  boundConnections(listening.server, bound)
  const socket = connect({ port: listening.port, host: address.host, allowHalfOpen: true })
  socket.write(bytes)
  await once(socket, 'readable')
  const count = promisify(listening.server.getConnections.bind(listening.server))
  await expect.poll(() => count(), { timeout: 10_000 }).toBe(0)
  socket.destroy()
  await listening.drain(0)
})

// Rules: security.md 37
test.each([
  ['has one connection too many', 0, '', 503],
  ['is too slow', 1, 'POST / HTTP/1.1\r\n', 408],
])(
  'a client that %s is refused, and what it sends after that is not carried out',
  async (_which, bound, before, status) => {
    let requests = 0
    const listening = await listen(() => void (requests += 1), address)
    boundConnections(listening.server, bound)
    listening.server.headersTimeout = 50
    const socket = connect({ port: listening.port, host: address.host, allowHalfOpen: true })
    socket.write(before)
    await once(socket, 'readable')
    expect(String(socket.read())).toContain(`HTTP/1.1 ${status} `)
    const request = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'
    socket.write(request.slice(before.length))
    const count = promisify(listening.server.getConnections.bind(listening.server))
    await expect.poll(() => count(), { timeout: 10_000 }).toBe(0)
    expect(requests).toBe(0)
    socket.destroy()
    await listening.drain(0)
  },
  15_000,
)

// Rules: security.md 37
test.each(['before', 'after'])(
  'a body whose rest comes after its request was refused as too slow is not carried out, also if it is first read %s that',
  async (readFirst) => {
    const refusal = Promise.withResolvers<void>()
    if (readFirst === 'before') refusal.resolve()
    let carriedOut = 0
    const listening = await listen((request) => {
      refusal.promise
        .then(() => text(request))
        .then(
          () => void (carriedOut += 1),
          () => undefined,
        )
    }, address)
    listening.server.requestTimeout = 50
    listening.server.headersTimeout = 50
    const socket = connect({ port: listening.port, host: address.host, allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{')
    await once(socket, 'readable')
    expect(String(socket.read())).toContain('HTTP/1.1 408 ')
    refusal.resolve()
    socket.write('}')
    const count = promisify(listening.server.getConnections.bind(listening.server))
    await expect.poll(() => count(), { timeout: 10_000 }).toBe(0)
    expect(carriedOut).toBe(0)
    socket.destroy()
    await listening.drain(0)
  },
  15_000,
)

// Rules: product.md 7
test('what follows a request and is no HTTP does not become the answer to it', async () => {
  const listening = await listen((request, response) => {
    request.resume()
    listening.server.once('clientError', () => response.end('carried out'))
  }, address)
  const socket = connect(listening.port, address.host)
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}junk\r\n\r\n')
  const answer = await text(socket)
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  expect(answer).toMatch(/connection: close\r\n[^]*carried out/i)
  await listening.drain(0)
})

test.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: '],
  ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{'],
])(
  '%s not complete in time is answered 408, a second later at most',
  async (_what, bytes) => {
    const listening = await listen(() => undefined, address)
    listening.server.headersTimeout = 50
    listening.server.requestTimeout = 50
    const socket = connect(listening.port, address.host)
    socket.write(bytes)
    const answer = await text(socket)
    expect(answer).toContain('HTTP/1.1 408 Request Timeout\r\n')
    expect(answer).toContain('application/problem+json')
    await listening.drain(0)
  },
  10_000,
)

test('a drain lets an answer under way finish and cuts what lasts longer than the grace', async () => {
  const answered = Promise.withResolvers<() => void>()
  const listening = await listen((_, response) => {
    answered.resolve(() => response.end('finished'))
  }, address)
  const url = `http://${address.host}:${listening.port}`
  const answer = fetch(url).then((response) => response.text())
  const finish = await answered.promise
  const drained = listening.drain(5000)
  finish()
  expect(await answer).toBe('finished')
  await drained
  const stuck = await listen(() => undefined, address)
  const cut = fetch(`http://${address.host}:${stuck.port}`).then(
    () => 'answered',
    () => 'cut',
  )
  await once(stuck.server, 'request')
  await stuck.drain(20)
  expect(await cut).toBe('cut')
})
