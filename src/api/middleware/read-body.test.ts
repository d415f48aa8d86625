import { createServer } from 'node:http'
import express, { type Response } from 'express'
import { expect, test } from 'vitest'
import { currentRequest } from '#services/core/current-request.ts'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { holdAnswer } from '../held-open/wait-for-request.ts'
import { readBody } from './read-body.ts'

const content = 'line of text\n'.repeat(40_000)

/** A server whose calls last until the test ends them, as those of the caller in their path. */
async function openDesk() {
  const reached: { readonly caller: string; readonly response: Response }[] = []
  const app = express()
  app.use('/:caller', (request, response, next) => {
    const { caller } = request.params
    response.locals['identity'] = {}
    const current = { requestId: '', traceparent: undefined, subject: null, caller }
    currentRequest.run({ ...current, hasCommitted: false, freeBody: null }, next)
  })
  app.use(readBody)
  app.post('/:caller/:how', (request, response) => {
    if (request.params.how === 'waits') response.on('close', holdAnswer())
    reached.push({ caller: request.params.caller, response })
  })
  const server = createServer(app)
  const port = await listenHere(server)
  const ended = new AbortController()
  const callsOf = (caller: string) => reached.filter((one) => one.caller === caller)
  return {
    callsOf,
    send: (caller: string, how = 'acts'): void => {
      const body = JSON.stringify({ content })
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body, signal: ended.signal }
      fetch(`http://127.0.0.1:${port}/${caller}/${how}`, init).catch(() => undefined)
    },
    untilReached: (caller: string, count: number) =>
      waitUntil(async () => callsOf(caller).length === count),
    async [Symbol.asyncDispose]() {
      ended.abort()
      await closeServer(server)
    },
  }
}

// Rules: security.md 37
test('of one caller four calls with large bodies are carried out at once, beside those of others', async () => {
  await using desk = await openDesk()
  for (const count of [1, 2, 3, 4]) {
    desk.send('ada')
    await desk.untilReached('ada', count)
  }
  desk.send('ada')
  for (const count of [1, 2]) {
    desk.send('linus')
    await desk.untilReached('linus', count)
  }
  expect(desk.callsOf('ada')).toHaveLength(4)
  desk.callsOf('ada')[0]?.response.end()
  await desk.untilReached('ada', 5)
})

test('a call that waits for people takes no place of those with large bodies', async () => {
  await using desk = await openDesk()
  for (const count of [1, 2, 3, 4, 5, 6]) {
    desk.send('ada', 'waits')
    await desk.untilReached('ada', count)
  }
  expect(desk.callsOf('ada')).toHaveLength(6)
})
