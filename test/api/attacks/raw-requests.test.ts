import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../program.ts'
import { createTestApi } from '../test-api.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

const logged: object[] = []
const ignore = (): void => undefined
const log = { info: (line: object) => void logged.push(line), warn: ignore, error: ignore }
const api = disposeAfterTests(await createTestApi({ log }))
const ada = await api.signIn(api.people.ada)
const key = (await createProgram(api, ada, ['runs:read', 'requests:write', 'requests:read'])).key

/** Sends bytes as they are, and answers the status lines of everything that came back. */
async function statusesOf(...lines: readonly string[]): Promise<number[]> {
  const { port } = new URL(api.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.setTimeout(2000, () => socket.end())
  socket.write(lines.join('\r\n'))
  const chunks = (await socket.toArray().catch(() => [])) as Buffer[]
  const text = Buffer.concat(chunks).toString('latin1')
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
}

const end = ['connection: close', '', '']

describe('a connection', () => {
  test.each([
    ['two lengths', ['content-length: 2', 'content-length: 40']],
    ['a length and chunks', ['content-length: 4', 'transfer-encoding: chunked']],
    ['chunks under another spelling', ['transfer-encoding: xchunked']],
    ['chunks twice', ['transfer-encoding: chunked', 'transfer-encoding: identity']],
    ['a signed length', ['content-length: +2']],
    ['a space before the colon', ['content-length : 2']],
    ['a folded header', ['x-a: 1', ' content-length: 2']],
    ['a bare line feed', ['x-a: 1\nx-b: 2']],
  ])('with %s carries no second request', async (_what, headers) => {
    const statuses = await statusesOf(
      'POST /v1/requests HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      ...headers,
      '',
      '0',
      '',
      'GET /v1/me HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${key}`,
      ...end,
    )
    expect(statuses.filter((status) => status < 400)).toEqual([])
    expect(statuses.length).toBeLessThanOrEqual(1)
  })

  // Rules: security.md 26
  test.each([
    ['no host', '/healthz', []],
    ['two hosts', '/healthz', ['host: localhost', 'host: evil.example']],
    ['a host with a user', '/healthz', ['host: localhost@evil.example']],
    ['a host with a path', '/healthz', ['host: localhost/evil.example']],
    ['a host that ends in ours', '/healthz', ['host: evil-localhost']],
    ['a host that begins with ours', '/healthz', ['host: localhost.evil.example']],
    ['a name that looks like an address', '/healthz', ['host: 127.0.0.1.evil.example']],
    ['another host in front', '/healthz', ['host: evil.example', 'x-forwarded-host: localhost']],
    ['another host by Forwarded', '/healthz', ['host: evil.example', 'forwarded: host=localhost']],
  ])('with %s is refused', async (_what, path, headers) => {
    const [status, ...others] = await statusesOf(`GET ${path} HTTP/1.1`, ...headers, ...end)
    expect([400, 421, 422]).toContain(status)
    expect(others).toEqual([])
  })

  test('that names an address of its own in the request line is judged by its Host', async () => {
    const line = (host: string) =>
      statusesOf('GET http://evil.example/healthz HTTP/1.1', `host: ${host}`, ...end)
    const plain = await statusesOf('GET /healthz HTTP/1.1', 'host: localhost', ...end)
    expect((await line('evil.example'))[0]).toBeGreaterThanOrEqual(400)
    expect(await line('localhost')).toEqual(plain)
  })

  // Rules: security.md 25
  test('reaches no operation by a path that the log and rules by path do not see', async () => {
    for (const path of [
      '/V1/me',
      '/v1/Me',
      '/METRICS',
      '/MCP/x',
      '//v1/me',
      '/%761/me',
      '/v1/me/',
    ]) {
      const [status] = await statusesOf(`GET ${path} HTTP/1.1`, 'host: localhost', ...end)
      expect(status, path).toBe(404)
    }
    logged.length = 0
    await statusesOf('GET http://localhost/v1/me HTTP/1.1', 'host: localhost', ...end)
    expect(logged).toEqual([expect.objectContaining({ route: '/v1/me', status: 401 })])
  })
})

describe('a caller', () => {
  test('with two keys, or a key that is not valid beside a session, is nobody', async () => {
    const cookie = ada.headers['cookie'] ?? ''
    const proof = ada.headers['x-countersign-session'] ?? ''
    for (const headers of [
      [`authorization: Bearer ${key}`, 'authorization: Bearer cs_0123456789abcdef_x'],
      ['authorization: Bearer cs_0123456789abcdef_x', `cookie: ${cookie}`],
      [`authorization: Basic ${key}`, `cookie: ${cookie}`],
      [`cookie: ${cookie}; ${cookie}`, `x-countersign-session: ${proof}`],
      [`cookie: ${cookie}`, `cookie: ${cookie}`, `x-countersign-session: ${proof}`],
    ]) {
      const [status] = await statusesOf(
        'GET /v1/me HTTP/1.1',
        'host: localhost',
        ...headers,
        ...end,
      )
      expect([401, 422], headers.join()).toContain(status)
    }
  })

  test('does not choose another method, another address or another person by a header', async () => {
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-method-override': 'DELETE',
      'x-original-url': '/v1/people',
      'x-rewrite-url': '/v1/people',
      'x-forwarded-user': 'olga@example.com',
      'x-remote-user': 'olga@example.com',
    }
    const reply = await ada.get('/v1/me', headers)
    expect(reply).toMatchObject({ status: 200, body: { person: { name: 'Ada' } } })
  })
})

/** Members that a reader in JavaScript could take for those of every object. */
test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'a body whose member is %s changes nothing but itself',
  async (name) => {
    const rawBody = `{"tool":"x","externalId":"${name}","input":{"a":{"${name}":{"isAdmin":true}}},"${name}":{"scopes":["audit:read"]}}`
    const reply = await api.ask('/v1/requests', {
      method: 'POST',
      rawBody,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined()
  },
)
