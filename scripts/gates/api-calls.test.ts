import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkApiCalls } from './api-calls.ts'
import { putFile } from '#test/harness/put-file.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'api-calls-'))
})
afterEach(() => rm(root, { recursive: true }))

async function problemsOf(text: string, path = 'ui/page.tsx'): Promise<string[]> {
  putFile(root, path, `import { callApi } from './api/call-api.ts'\n${text}`)
  return (await checkApiCalls(root, ['ui'])).problems
}

test('calls that take their types from the routes pass, and are counted', async () => {
  expect(
    await problemsOf(`export const run = await callApi('getRun', { params: { id } })
      export const kinds = ['a', 'b'] as const`),
  ).toEqual([])
  expect(await checkApiCalls(root, ['ui'])).toEqual({ calls: 1, problems: [] })
})

test.each([
  ['awaited', `const run = (await callApi('getRun', {})) as Run`],
  ['a promise', `const run = callApi('getRun', {}) as Promise<Run>`],
  ['cast twice', `const run = (await callApi('getRun', {})) as unknown as Run`],
  ['behind a handler', `const run = (await callApi('getRun', {}).catch(refused)) as Run`],
  ['of another client', `const run = (await client.call('getRun', {})) as Run`],
  ['of JSON', `const run = (await response.json()) as Run`],
])('a cast of an answer is reported: %s', async (_, text) => {
  expect((await problemsOf(text)).join()).toContain('ui/page.tsx: casts what')
})

test('a type that a call names is reported, like a cast', async () => {
  expect(await problemsOf(`const run = await callApi<Run>('getRun', {})`)).toEqual([
    'ui/page.tsx: callApi takes its types from the route, not from here',
  ])
})

test('a request beside the client, and an address instead of an operation, are reported', async () => {
  expect(await problemsOf('const answer = await fetch(`/v1/runs/${id}`)')).toEqual([
    'ui/page.tsx: fetches beside the client',
    'ui/page.tsx: names the address /v1/runs/ instead of an operation',
  ])
})

test('the transport of the client may fetch; tests are left alone', async () => {
  expect(await problemsOf('await fetch(path, init)', 'ui/api/call-api.ts')).toEqual([])
  expect(await problemsOf(`const run = (await callApi('getRun')) as Run`, 'ui/a.test.ts')).toEqual(
    [],
  )
})
