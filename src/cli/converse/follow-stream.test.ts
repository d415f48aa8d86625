import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { Service } from '../service/service.ts'
import { followStream } from './follow-stream.ts'

type Answer = (response: ServerResponse, after: string | undefined) => void

const answers: Answer[] = []
let state = 'running'
const server = createServer((request, response) => {
  if (!request.url?.endsWith('/stream')) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ state }))
    return
  }
  answers.shift()?.(response, request.headers['last-event-id'] as string | undefined)
})
let service: Service
beforeAll(async () => {
  service = new Service(`http://127.0.0.1:${await listenHere(server)}`, {})
})
afterAll(() => closeServer(server))

const event = (id: string, part: object) => `id: ${id}\ndata: ${JSON.stringify(part)}\n\n`
const delta = (text: string) => ({ type: 'text-delta', id: '1.1', delta: text })

async function readAll(): Promise<unknown[]> {
  const parts: unknown[] = []
  for await (const part of followStream(service, 'a', new AbortController().signal)) {
    parts.push(part)
  }
  return parts
}

test('a stream that breaks off is resumed after its last event, and each part is returned once', async () => {
  const lastEventIds: (string | undefined)[] = []
  answers.push(
    (response, after) => {
      lastEventIds.push(after)
      response.write(event('1', delta('one ')), () => response.destroy())
    },
    (response, after) => {
      lastEventIds.push(after)
      response.destroy()
    },
    (response, after) => {
      lastEventIds.push(after)
      response.end(`${event('2', delta('two'))}id: 3\ndata: [DONE]\n\n`)
    },
  )
  expect(await readAll()).toEqual([delta('one '), { type: 'lost' }, { type: 'back' }, delta('two')])
  expect(lastEventIds).toEqual([undefined, '1', '1'])
})

test('a stream that ends early is opened again while the run is at work, and not once the run rests', async () => {
  answers.push(
    (response) => response.end(event('1', delta('one'))),
    (response) => {
      state = 'completed'
      response.writeHead(204).end()
    },
  )
  expect(await readAll()).toEqual([delta('one')])
})

test('a run that may not be seen any more is an error, and its stream is not opened again', async () => {
  answers.push((response) => {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ code: 'not_found', detail: 'There is no such run' }))
  })
  await expect(readAll()).rejects.toThrow('There is no such run')
  expect(answers).toEqual([])
})
