import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { compressFiles } from '#runtime/supervisor/build-ui.ts'
import { createTestApi } from './test-api.ts'
import { newFolder } from '../harness/new-folder.ts'

/** Enough for a file to be worth compressing. */
const long = '\n'.repeat(600)

const folder = newFolder('countersign-ui-')
const uiDir = join(folder, 'ui')
await mkdir(join(uiDir, 'assets'), { recursive: true })
await writeFile(join(uiDir, 'index.html'), `<!doctype html><title>Countersign</title>${long}`)
await writeFile(join(uiDir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
await writeFile(join(uiDir, 'assets', 'main-1a2b3c.js'), `export {}${long}`)
await writeFile(join(folder, 'secret.txt'), 'secret')
await compressFiles(uiDir)
const api = disposeAfterTests(await createTestApi({ settings: { uiDir } }))

const page = { accept: 'text/html' }

// Rules: security.md 19
test('every page of the dashboard is its one file, asked for anew each time, under the content policy', async () => {
  const pages = await readFile(new URL('../../src/ui/pages.ts', import.meta.url), 'utf8')
  const routes = pages.matchAll(/^ {2}'([^']+)': laterPage/gm)
  const paths = [...routes].map(([, path = '']) => path.replaceAll(/:\w+/g, '7'))
  expect(paths).toContain('/runs/7/turns/7')
  for (const path of ['/', '/requests/7?x=1', ...paths]) {
    const reply = await api.ask(path, { headers: page })
    expect(reply).toMatchObject({ status: 200, text: expect.stringContaining('Countersign') })
    expect(reply.headers.get('cache-control')).toBe('no-cache')
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

test('a path without a page of its own is the same file with 404, so that programs are not misled', async () => {
  for (const path of [
    '/a/b/c',
    '/requests',
    '/runs/7/none',
    '/runs/7/turns',
    '/..%2fsecret.txt',
    '/.env',
    '/v1%2fme',
  ]) {
    const reply = await api.ask(path, { headers: page })
    expect(reply).toMatchObject({ status: 404, text: expect.stringContaining('Countersign') })
  }
  const reply = await api.ask('/runs/7/none', { headers: { accept: '*/*' } })
  expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test.each(['br', 'gzip'])('pages and files go out compressed with %s', async (encoding) => {
  const headers = { ...page, 'accept-encoding': encoding }
  for (const path of ['/', '/requests/7', '/a/b/c', '/assets/main-1a2b3c.js']) {
    const reply = await api.ask(path, { headers })
    expect(reply.headers.get('content-encoding'), path).toBe(encoding)
    expect(reply.headers.get('vary'), path).toContain('Accept-Encoding')
    expect(reply.text, path).toContain(path.startsWith('/assets') ? 'export' : 'Countersign')
  }
})

test('a reader that accepts no compression gets pages and files as they are; short files are never compressed', async () => {
  for (const path of ['/', '/assets/main-1a2b3c.js', '/favicon.svg']) {
    const encoding = path === '/favicon.svg' ? 'br' : 'identity'
    const reply = await api.ask(path, { headers: { ...page, 'accept-encoding': encoding } })
    expect(reply.headers.get('content-encoding'), path).toBeNull()
  }
})

test('hashed files are kept for a year, others are asked for again', async () => {
  const script = await api.ask('/assets/main-1a2b3c.js')
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(script.headers.get('content-type')).toContain('javascript')
  const icon = await api.ask('/favicon.svg')
  expect(icon.headers.get('cache-control')).toBe('public, max-age=0')
})

test('a file that is not there is 404 and never the page under its name', async () => {
  expect((await api.ask('/assets/gone.js', { headers: page })).status).toBe(404)
  expect((await api.ask('/robots.txt', { headers: { accept: 'text/plain' } })).status).toBe(404)
})

test('paths of the API are never the page, and a page takes no POST', async () => {
  for (const path of ['/v1/nothing', '/v1', '/metrics', '/healthz/x', '/readyz/']) {
    const reply = await api.ask(path, { headers: page })
    expect(reply.text).not.toContain('<!doctype')
  }
  expect((await api.ask('/', { method: 'POST', headers: page })).status).toBe(404)
})

test.each([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/assets/..%2f..%2f..%2fsecret.txt',
  '/assets/%00',
])('%s does not leave the folder', async (path) => {
  expect((await api.ask(path)).text).not.toContain('secret\n')
  expect((await api.ask(path)).text).not.toBe('secret')
})

// Rules: security.md 19
test.each([
  '//host.example/..',
  '/\\host.example/..',
  '/\\host.example/%2e%2e?a=1',
  '/assets',
  '/assets//host.example/..',
])('%s, which leads to a folder, is not redirected', async (path) => {
  const { hostname, port } = new URL(api.url)
  // As it is: `fetch` would resolve the path first.
  const sending = request({ hostname, port, path, headers: page }).end()
  const [reply] = (await once(sending, 'response')) as [IncomingMessage]
  reply.resume()
  expect([reply.statusCode, reply.headers.location]).toEqual([404, undefined])
})

test('the API is served alone without a built dashboard', async () => {
  await using bare = await createTestApi()
  expect((await bare.ask('/', { headers: page })).status).toBe(404)
  expect((await bare.ask('/healthz')).status).toBe(200)
})

test('a service that is not ready answers 503 with the part that is not', async () => {
  const checks = { postgres: true, temporal: false, relayLagMs: 12, eventLagMs: 0, auditLagMs: 0 }
  const problems = ['Temporal does not answer']
  const readiness = async () => ({ ready: false, checks, problems })
  await using waiting = await createTestApi({ readiness })
  expect(await waiting.ask('/readyz')).toMatchObject({
    status: 503,
    body: { ready: false, checks, problems },
  })
})
