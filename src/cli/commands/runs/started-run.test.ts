import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { Service } from '../../service/service.ts'
import { startedText, withWarnings } from './started-run.ts'

let status = 200
const text = 'A request in the queue platform may have to wait: Grace is away'
const server = createServer((_, response) => {
  const until = new Date(Date.now() + 2.5 * 86_400_000).toISOString()
  const warnings = ['platform', 'infra'].map((queue) => ({
    code: 'approvers_away',
    queue,
    text,
    until,
  }))
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(status === 200 ? { id: 'r1', warnings } : { code: 'forbidden' }))
})
let service: Service
beforeAll(async () => {
  service = new Service(`http://127.0.0.1:${await listenHere(server)}`, {})
})
afterAll(() => closeServer(server))

const run = { id: 'r1', worker: 'scribe', mode: 'prompt', number: 7 } as const

test('who starts a run reads once that its approvers are away, and a program gets each queue', async () => {
  status = 200
  const started = await withWarnings(service, run)
  expect(started.warnings).toMatchObject([{ queue: 'platform' }, { queue: 'infra' }])
  expect(startedText(service, started).split('\n').slice(2)).toEqual([
    `! ${text}. The first person is back in 2 days.`,
  ])
})

test('a start succeeds with a key that may not read the run', async () => {
  status = 403
  expect(await withWarnings(service, run)).toEqual(run)
  expect(startedText(service, run)).toMatch(/#7\n\S+\/runs\/r1$/)
})
