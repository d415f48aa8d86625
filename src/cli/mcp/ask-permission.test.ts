import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { WaitingCalls } from '../hook/waiting/waiting-calls.ts'
import { askPermission } from './ask-permission.ts'

/** What the permission tool says if the service answers everything with this. */
async function denialAfter(status: number, answer: object): Promise<string> {
  const service = createServer(({ url }, response) => {
    response.statusCode = url === '/healthz' ? 200 : status
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  onTestFinished(() => closeServer(service))
  const url = `http://127.0.0.1:${await listenHere(service)}`
  const root = newFolder('countersign-prompt-')
  const settings = {
    service: { url, apiKey: 'cs_key' },
    root,
    hostProof: null,
    askWithinMs: 10_000,
    waitMs: 0,
    waiting: new WaitingCalls(root),
  }
  const question = { tool_name: 'Deploy', input: { to: 'production' }, tool_use_id: 'toolu_1' }
  const denial = await askPermission(question, settings, new AbortController().signal)
  return denial.behavior === 'deny' ? denial.message : 'allowed'
}

test('a call whose file has changed since its request was made is told so', async () => {
  const code = 'idempotency_key_reused'
  const message = await denialAfter(409, { code, title: 'x', detail: 'x', request: 'r' })
  expect(message).toMatch(/a file of this call has changed since its request was made/)
})

test('an approval without the facts of its request is denied with a sentence', async () => {
  const request = { tool: 'Deploy', input: { to: 'production' } }
  const answer = { id: 'r', number: 1, state: 'approved', decisions: [], digest: 'd', ...request }
  expect(await denialAfter(200, answer)).toMatch(/answered, but not as Countersign does/)
})
