import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenHere } from '#test/harness/listen.ts'
import { createDomainProxy, type DomainProxy } from './domain-proxy.ts'

/** Names and their addresses: this machine, or one that a command may not reach. */
const names: Record<string, string[]> = {
  'allowed.test': ['127.0.0.1'],
  'a.wild.test': ['127.0.0.1'],
  'private.test': ['10.1.2.3'],
  'mixed.test': ['127.0.0.1', '10.1.2.3'],
  'six.test': ['::ffff:10.1.2.3'],
}
const questions: string[] = []
let server: Server
let listening: Server
let proxy: DomainProxy
let port = 0

beforeAll(async () => {
  server = createHttpServer((request, answer) => {
    const parts = [request.method, request.headers.host, request.url, request.headers['x-kept']]
    const dropped = ['proxy-authorization', 'x-once', 'proxy-connection'].filter(
      (name) => request.headers[name] !== undefined,
    )
    let body = ''
    request.on('data', (bytes: Buffer) => (body += bytes.toString()))
    request.on('end', () => answer.end(JSON.stringify([...parts, body, ...dropped])))
  })
  port = await listenHere(server)
  const entries = ['allowed', 'private', 'mixed', 'six', 'gone', 'moves', '*.wild']
  const listed = entries.map((name) => `${name}.test:${port}`)
  proxy = createDomainProxy([...listed, 'usual.test'], {
    resolve: async (name) => {
      questions.push(name)
      // A name that resolves to another address each time.
      if (name === 'moves.test') {
        return questions.filter((one) => one === name).length === 1 ? ['127.0.0.1'] : ['10.1.2.3']
      }
      return names[name] ?? []
    },
    isOpen: (address) => address === '127.0.0.1',
  })
  listening = createServer()
  await listenHere(listening)
  proxy.serve(listening)
})

afterAll(() => {
  proxy.close()
  listening.close()
  server.close()
})

/** All that the proxy answers to these bytes, until it or the server ends the connection. */
async function say(...parts: readonly string[]): Promise<string> {
  const socket = connect((listening.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const [first = '', ...rest] = parts
  socket.write(first)
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString()
    const next = rest.shift()
    if (next !== undefined) socket.write(next)
    else if (!text.startsWith('HTTP/1.1 200 Conn') || text.includes(']')) socket.end()
  })
  await closed
  return text
}

const tunnel = (to: string): Promise<string> =>
  say(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`, 'GET /x HTTP/1.0\r\nhost: h\r\n\r\n')
const plain = (to: string, more = ''): Promise<string> =>
  say(`GET http://${to} HTTP/1.1\r\nhost: other.test\r\nconnection: x-once\r\n${more}\r\n`)

// Rules: security.md 30
test('a listed name is reached by CONNECT and by plain HTTP, by the addresses that the proxy found', async () => {
  expect(await tunnel(`allowed.test:${port}`)).toMatch(/^HTTP\/1.1 200 [^]*\["GET","h","\/x"/)
  expect(await tunnel(`A.Wild.TEST.:${port}`)).toMatch(/^HTTP\/1.1 200 [^]*\["GET"/)
  const more =
    'x-once: 1\r\nx-kept: 2\r\nproxy-authorization: basic x\r\nproxy-connection: close\r\n'
  // The server gets the name that was judged, whatever the command wrote into a header.
  expect(await plain(`allowed.test:${port}/y?z=1`, more)).toMatch(
    new RegExp(`200 OK[^]*\\["GET","allowed.test:${port}","/y\\?z=1","2",""\\]`),
  )
})

// Rules: security.md 30
test.each([
  ['another name', () => 'other.test:PORT', /other\.test is not listed: commands of this worker/],
  ['a name above a wildcard', () => 'wild.test:PORT', /is not listed/],
  ['a name that only begins alike', () => 'allowed.test.evil.com:PORT', /is not listed/],
  ['another port', () => 'allowed.test:22', /Port 22 of allowed\.test is not listed/],
  ['a port that the usual ones do not include', () => 'usual.test:PORT', /Port \d+ of usual/],
  ['an address', () => '127.0.0.1:PORT', /is an address/],
  ['an address of version 6', () => '[::1]:PORT', /is an address/],
  ['an address as one number', () => '2130706433:PORT', /is (?:not listed|an address)/],
  ['an address with fewer parts', () => '127.1:PORT', /is (?:not listed|an address)/],
  ['a name that leads to a private address', () => 'private.test:PORT', /leads to 10\.1\.2\.3/],
  ['one that leads to a private address too', () => 'mixed.test:PORT', /leads to 10\.1\.2\.3/],
  ['one that leads to a mapped address', () => 'six.test:PORT', /private address/],
  ['a name without an address', () => 'gone.test:PORT', /gone\.test has no address/],
  ['no host', () => ':PORT', /CONNECT HOST:PORT|not listed/],
  [
    'a user before the host',
    () => 'allowed.test:80@evil.test:PORT',
    /CONNECT HOST:PORT|not listed/,
  ],
])('%s is refused, and the answer says why', async (_, form, why) => {
  const to = form().replace('PORT', String(port))
  for (const answer of [await tunnel(to), await plain(`${to}/`)]) {
    if (answer.startsWith('HTTP/1.1 400')) continue
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    expect(answer).toMatch(why)
  }
  expect(proxy.refusals().some((sentence) => why.test(sentence))).toBe(true)
})

test('a name that changes its address (DNS rebinding) never leads to an address that was not checked', async () => {
  expect(await tunnel(`moves.test:${port}`)).toContain('["GET"')
  expect(await tunnel(`moves.test:${port}`)).toMatch(/^HTTP\/1\.1 403 [^]*leads to 10\.1\.2\.3/)
  // Each connection resolves the name once, so it goes to the address that was judged.
  expect(questions.filter((name) => name === 'moves.test')).toHaveLength(2)
  // A name that is not listed is not even looked up: a lookup could carry data away.
  expect(questions).not.toContain('other.test')
})

test('a request that is not one to a proxy is refused, and a body keeps its limits', async () => {
  expect(await say('GET / HTTP/1.1\r\nhost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 [^]*CONNECT/)
  expect(await say('GET https://allowed.test/ HTTP/1.1\r\nhost: a\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 403/,
  )
  const both = `GET http://allowed.test:${port}/ HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n`
  expect(await say(both)).not.toContain('200 OK')
  const inner = 'GET /smuggled HTTP/1.1\r\nhost: b\r\n\r\n'
  const size = inner.length.toString(16)
  const chunked = `GET http://allowed.test:${port}/ HTTP/1.1\r\nhost: a\r\nconnection: transfer-encoding\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n${inner}\r\n0\r\n\r\n`
  const answer = await say(chunked)
  expect(answer.split('HTTP/1.1 200')).toHaveLength(2)
  expect(JSON.stringify(answer)).toContain('GET /smuggled')
})

test('each refusal is kept once, up to a limit, without characters that cannot be printed', async () => {
  await tunnel(`evil\u001b[31m.test:${port}`)
  for (let n = 0; n < 30; n += 1) await tunnel(`n${n}.test:1`)
  const refused = proxy.refusals()
  expect(refused.length).toBeLessThanOrEqual(20)
  expect(new Set(refused).size).toBe(refused.length)
  expect(refused.join('')).not.toContain('\u001b')
})
