import { expect, test } from 'vitest'
import { putLiveOutput } from '#store/content/live-output.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createTestApi } from '../test-api.ts'
import { createProgram } from '../program.ts'

/**
 * A call of Ada's that runs, as the executor leaves it, and has printed nine bytes, the first three
 * of them long ago.
 */
const api = disposeAfterTests(await createTestApi())
const ada = await api.signIn(api.people.ada)
const run = await addRun(api.service, { startedBy: api.people.ada })
const { callId } = await addRequest(api.service, run)
const path = `/v1/calls/${callId}/output`
const { db } = api.database
await db
  .insertInto('execution')
  .values({ call_id: callId, attempt: 1, state: 'started', epoch: 1 })
  .execute()
const bytes = Buffer.from('6\n789\u001b')
await putLiveOutput(db, { callId, attempt: 1 }, [{ stream: 'stdout', skipped: 3, bytes }])

test('what a running command has printed is served as text that is never a page, with where it begins', async () => {
  const all = await ada.get(`${path}/stdout`)
  expect([all.status, all.text]).toEqual([200, '6\n789\u001b'])
  const headers = Object.fromEntries(all.headers)
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-output-state': 'running',
    'x-output-attempt': '1',
    'x-output-start': '3',
  })
  const rest = await ada.get(`${path}/stdout?offset=5`)
  expect([rest.text, rest.headers.get('x-output-start')]).toEqual(['789\u001b', '5'])
  expect(await ada.get(`${path}/stdout?offset=9`)).toMatchObject({ status: 200, text: '' })
  expect(await ada.get(`${path}/stderr`)).toMatchObject({ status: 200, text: '' })
})

test.each([
  ['stdout?offset=10', 422],
  ['stdout?offset=-1', 422],
  ['stdout?offset=1.5', 422],
  ['stdout?offset=x', 422],
  ['stdout?offset=99999999999', 422],
  ['stdout?from=1', 422],
  ['stdin', 404],
  ['..%2Fstdout', 404],
])('%s of it is %i', async (what, status) => {
  expect((await ada.get(`${path}/${what}`)).status).toBe(status)
})

test('it is read by whoever may see the run, and by no key without the scope', async () => {
  const edsger = await api.signIn(api.people.edsger)
  expect((await edsger.get(`${path}/stdout`)).status).toBe(404)
  expect((await api.ask(`${path}/stdout`)).status).toBe(401)
  const reader = await createProgram(api, ada, ['runs:read'])
  expect(await reader.get(`${path}/stdout`)).toMatchObject({ status: 200, text: '6\n789\u001b' })
  const writer = await createProgram(api, ada, ['runs:write'])
  expect(await writer.get(`${path}/stdout`)).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
})
