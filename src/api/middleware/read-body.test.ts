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
    if (request.params.how === 'waits') {
      try {
        response.on('close', holdAnswer())
      } catch {
        response.status(429).end()
        return
      }
    }
    reached.push({ caller: request.params.caller, response })
  })
  const server = createServer(app)
  const port = await listenHere(server)
  const ended = new AbortController()
  const post = (
    caller: string,
    how = 'acts',
    body: string | ReadableStream<Uint8Array> = '',
  ): Promise<globalThis.Response> => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, signal: ended.signal, duplex: 'half' as const }
    return fetch(`http://127.0.0.1:${port}/${caller}/${how}`, init)
  }
  const callsOf = (caller: string) => reached.filter((one) => one.caller === caller)
  return {
    callsOf,
    send: (caller: string, how?: string): void => {
      post(caller, how, JSON.stringify({ content })).catch(() => undefined)
    },
    sendChunked: (caller: string): void => {
      post(caller, 'acts', new Blob(['{}']).stream()).catch(() => undefined)
    },
    statusOf: async (caller: string, how: string) =>
      (await post(caller, how, JSON.stringify({ content }))).status,
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

// Rules: security.md 37
test('eight calls of one caller with large bodies may wait for people, and take no place of others', async () => {
  await using desk = await openDesk()
  for (const count of [1, 2, 3, 4, 5, 6, 7, 8]) {
    desk.send('ada', 'waits')
    await desk.untilReached('ada', count)
  }
  // Their bodies stay in memory: one more is refused.
  expect(await desk.statusOf('ada', 'waits')).toBe(429)
  desk.send('linus', 'waits')
  await desk.untilReached('linus', 1)
  desk.send('ada')
  await desk.untilReached('ada', 9)
  for (const { response } of desk.callsOf('ada').slice(0, 1)) response.end()
  desk.send('ada', 'waits')
  await desk.untilReached('ada', 10)
})

test('a small body of unknown length takes no place once it is read', async () => {
  await using desk = await openDesk()
  for (const count of [1, 2, 3, 4, 5]) {
    desk.sendChunked('ada')
    await desk.untilReached('ada', count)
  }
  expect(desk.callsOf('ada')).toHaveLength(5)
})
