import { expect, test } from 'vitest'
import type { StoredFile } from '#services/transcript/store-result.ts'
import { putContent } from '#store/content/content.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import {
  claimedPictures,
  endWithFiles,
  onePixel,
} from '../../harness/fixtures/result-with-files.ts'
import { createTestApi } from '../test-api.ts'
import { createProgram } from '../program.ts'

/** A call of Ada's whose tool returned one picture, and other bytes under pictures' names. */
const api = disposeAfterTests(await createTestApi())
const ada = await api.signIn(api.people.ada)
const run = await addRun(api.service, { startedBy: api.people.ada })
const { callId } = await addRequest(api.service, run)
const kept = await endWithFiles(api.database.db, callId, claimedPictures)

const pathOf = (file: StoredFile | undefined): string =>
  `/v1/calls/${callId}/files/${file?.hash ?? ''}`

test('a picture is served with the type of its bytes, for display by the dashboard and never as a page', async () => {
  const response = await api.ask(pathOf(kept[0]), { headers: ada.headers })
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': expect.stringMatching(/^attachment; filename="[0-9a-f]{12}\.png"$/),
    'content-security-policy': "default-src 'none'; sandbox",
    'content-length': String(onePixel.length),
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
})

// Rules: security.md 18, 19
test('a file that only claims to be a picture can only be saved: a page, an SVG, a picture of another type', async () => {
  expect(kept.map((file) => file.mediaType)).toEqual([
    'image/png',
    'application/octet-stream',
    'image/svg+xml',
    'application/octet-stream',
    'text/html',
    'image/gif',
  ])
  for (const file of [kept[1], kept[2]]) {
    const { headers } = await ada.get(pathOf(file))
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[0-9a-f]{12}\.bin"$/)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  }
  const gif = await ada.get(pathOf(kept[5]))
  expect(gif.headers.get('content-type')).toBe('image/gif')
  expect(gif.headers.get('x-content-type-options')).toBe('nosniff')
})

test('a row that declares an HTML page to be a picture does not make it one', async () => {
  const { db } = api.database
  const bytes = Buffer.from('<html><script>1</script>')
  const hash = await putContent(db, bytes)
  const row = { call_id: callId, position: 99, hash, media_type: 'image/png', bytes: 24 }
  await db.insertInto('result_file').values(row).execute()
  const { headers } = await ada.get(`/v1/calls/${callId}/files/${hash}`)
  expect(headers.get('content-type')).toBe('application/octet-stream')
})

test('the same bytes under two names are a picture when one name is that picture’s', async () => {
  const other = await addRequest(api.service, run, { position: 2 })
  const [, file] = await endWithFiles(api.database.db, other.callId, [
    { mediaType: 'text/html', bytes: onePixel },
    { mediaType: 'image/png', bytes: onePixel },
  ])
  const { headers } = await ada.get(`/v1/calls/${other.callId}/files/${file?.hash ?? ''}`)
  expect(headers.get('content-type')).toBe('image/png')
})

// Rules: security.md 22
test('it is read by whoever may see the run, and by no key without the scope', async () => {
  const edsger = await api.signIn(api.people.edsger)
  expect((await edsger.get(pathOf(kept[0]))).status).toBe(404)
  expect((await api.ask(pathOf(kept[0]))).status).toBe(401)
  const reader = await createProgram(api, ada, ['runs:read'])
  expect((await reader.get(pathOf(kept[0]))).status).toBe(200)
  const writer = await createProgram(api, ada, ['runs:write'])
  expect(await writer.get(pathOf(kept[0]))).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
})

test('only files of that call are read, though the bytes are stored and the hash is known', async () => {
  const hash = await putContent(api.database.db, 'somebody else’s')
  expect((await ada.get(`/v1/calls/${callId}/files/${hash}`)).status).toBe(404)
  expect((await ada.get(`/v1/calls/${run.id}/files/${kept[0]?.hash ?? ''}`)).status).toBe(404)
  expect((await ada.get(`/v1/calls/${callId}/files/..%2Foutput`)).status).toBe(404)
})

// Rules: security.md 18, 19
test('a picture that a person sends with a message is served to whoever may see the run, as that picture alone', async () => {
  const files = [
    { name: 'page.png', mediaType: 'image/png', data: onePixel.toString('base64') },
    { name: 'page.html', mediaType: 'text/html', data: btoa('<script>1</script>') },
  ]
  const path = `/v1/runs/${run.id}`
  const posted = await ada.post(`${path}/messages`, { text: 'Look', files })
  expect(posted.status).toBe(201)
  const { body } = await ada.get(`${path}/transcript`)
  const message = body.items.findLast(({ role }: { role: string }) => role === 'user')
  expect(message.files).toMatchObject([
    { name: 'page.png', mediaType: 'image/png', bytes: onePixel.length },
    { name: 'page.html', mediaType: 'text/html', bytes: 18 },
  ])
  const [picture, page] = await Promise.all(
    message.files.map(({ hash }: StoredFile) => ada.get(`${path}/files/${hash}`)),
  )
  expect(Object.fromEntries(picture.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': expect.stringMatching(/^attachment/),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(page.headers.get('content-type')).toBe('application/octet-stream')
  const edsger = await api.signIn(api.people.edsger)
  expect((await edsger.get(`${path}/files/${message.files[0].hash}`)).status).toBe(404)
  const svg = [{ name: 'a.svg', mediaType: 'image/svg+xml', data: btoa('<svg/>') }]
  expect(await ada.post(`${path}/messages`, { text: 'Look', files: svg })).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', field: 'files.0' },
  })
})
