import { mkdir, writeFile } from 'node:fs/promises'
import { get, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { compressFiles } from '#runtime/supervisor/build-ui.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { newFolder } from '../../harness/new-folder.ts'
import { createTestApi } from '../test-api.ts'

const script = `export const words = ${JSON.stringify('word '.repeat(2000))}\n`

const folder = newFolder('countersign-compressed-')
await mkdir(join(folder, 'assets'))
await writeFile(join(folder, 'index.html'), '<!doctype html><title>Countersign</title>')
await writeFile(join(folder, 'assets', 'main-1a2b.js'), script)
await compressFiles(folder)
const api = disposeAfterTests(await createTestApi({ settings: { uiDir: folder } }))
const ada = await api.signIn(api.people.ada)
const run = await addRun(api.service, { startedBy: api.people.ada })
for (let position = 1; position < 6; position += 1) await addRequest(api.service, run, { position })

/** The answer as it is on the wire. */
function raw(path: string, encoding: string) {
  const headers = { ...ada.headers, 'accept-encoding': encoding }
  return new Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    get(api.url + path, { headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(parts) }))
    }).on('error', reject)
  })
}

describe('what is read', () => {
  test('is compressed as the reader accepts it, and not for a reader that accepts no compression', async () => {
    const plain = await raw('/v1/requests', 'identity')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const [br, gz] = [await raw('/v1/requests', 'br, gzip'), await raw('/v1/requests', 'gzip')]
    expect(br.headers).toMatchObject({
      'content-encoding': 'br',
      vary: expect.stringMatching(/accept-encoding/i),
    })
    expect(gz.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(brotliDecompressSync(br.bytes).toString())).toEqual(
      JSON.parse(String(plain.bytes)),
    )
    expect(JSON.parse(gunzipSync(gz.bytes).toString())).toEqual(JSON.parse(String(plain.bytes)))
    expect(br.bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect((await raw('/openapi.json', 'br')).headers['content-encoding']).toBe('br')
  })

  test('is not compressed if it has a secret, is small, or is a stream', async () => {
    const everybody = ['/v1/me', '/v1/auth/methods', '/v1/sessions', '/v1/people', '/healthz']
    for (const path of everybody) {
      expect((await raw(path, 'br, gzip')).headers['content-encoding'], path).toBeUndefined()
    }
    const leaving = new AbortController()
    const stream = await fetch(`${api.url}/v1/events`, {
      headers: { ...ada.headers, 'accept-encoding': 'br, gzip' },
      signal: leaving.signal,
    })
    expect(stream.headers.get('content-encoding')).toBeNull()
    leaving.abort()
  })
})

test('files of the dashboard are sent as the build compressed them, with an unchanged cache lifetime', async () => {
  const plain = await raw('/assets/main-1a2b.js', 'identity')
  const br = await raw('/assets/main-1a2b.js', 'gzip, br')
  const gz = await raw('/assets/main-1a2b.js', 'gzip')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(String(plain.bytes)).toBe(script)
  expect(br.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': expect.stringContaining('javascript'),
    'cache-control': 'public, max-age=31536000, immutable',
    vary: expect.stringMatching(/accept-encoding/i),
  })
  expect(brotliDecompressSync(br.bytes).toString()).toBe(script)
  expect(gz.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(gz.bytes).toString()).toBe(script)
})
