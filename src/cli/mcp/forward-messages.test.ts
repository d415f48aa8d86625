import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { forwardMessages } from './forward-messages.ts'

/** What an agent reads that sends one line to a gateway which answers as the test says. */
async function answersTo(
  line: string,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<unknown[]> {
  const server = createServer((request, response) => void answer(request, response))
  const url = new URL(`http://127.0.0.1:${await listenHere(server)}/mcp/files`)
  const input = new PassThrough()
  const output = new PassThrough()
  const answers: unknown[] = []
  // The agent goes on until it has the answer to its request.
  output.on('data', (chunk: Buffer) => {
    const messages = chunk
      .toString()
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as object)
    answers.push(...messages)
    if (messages.some((one) => 'id' in one)) input.end()
  })
  input.write(`${line}\n`)
  await forwardMessages({ url, apiKey: 'cs_key' }, input, output)
  await closeServer(server)
  return answers
}

const call = '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"pay"}}'

// Rules: security.md 22, 34
test('a message reaches the gateway as the agent wrote it, with numbers and keys that it refuses', async () => {
  const line =
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":9007199254740993,"k":1e400,"k":2}}'
  let received = ''
  await answersTo(line, async (request, response) => {
    received = await text(request)
    response.end('{"jsonrpc":"2.0","id":1,"result":{}}')
  })
  expect(received).toBe(line)
})

const html = { 'content-type': 'text/html' }
const events = { 'content-type': 'text/event-stream' }
const progress = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n'
const cut = (response: ServerResponse): void => void setImmediate(() => response.destroy())

test('a call ends with its answer, although the gateway keeps its events open behind it', async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    response.on('close', () => closed.resolve())
    response.writeHead(200, events).write('data: {"jsonrpc":"2.0","id":"a","result":{}}\n\n')
  })
  const url = new URL(`http://127.0.0.1:${await listenHere(server)}/mcp/files`)
  const input = new PassThrough()
  const output = new PassThrough()
  const forwarding = forwardMessages({ url, apiKey: 'cs_key' }, input, output)
  input.write(`${call}\n`)
  await closed.promise
  input.end()
  await forwarding
  await closeServer(server)
  expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":"a","result":{}}\n')
})

test.each<[string, string, (response: ServerResponse) => void]>([
  ['nothing', 'status 200', (response) => response.end()],
  ['204', 'status 204', (response) => response.writeHead(204).end()],
  ['a page', 'status 200', (response) => response.writeHead(200, html).end('<h1>Sign in</h1>')],
  ['500 and a page', 'status 500', (response) => response.writeHead(500, html).end('<h1>')],
  ['half a message', 'status 200', (response) => response.end('{"jsonrpc":"2.0","id":"a",')],
  ['a redirect', 'not known', (response) => response.writeHead(307, { location: '/' }).end()],
  [
    'a refusal',
    'no such key',
    (response) => response.writeHead(401).end('{"detail":"no such key"}'),
  ],
  [
    'an answer that breaks off',
    'not known',
    (response) => cut(response.writeHead(200) && response),
  ],
  [
    'events without the answer',
    'not known',
    (response) => response.writeHead(200, events).end(progress),
  ],
  [
    'events that break off',
    'not known',
    (response) => {
      response.writeHead(200, events).write(progress)
      cut(response)
    },
  ],
])(
  'a call that the gateway answers with %s is an error for the agent, which does not wait on',
  async (_, why, answer) => {
    const answers = await answersTo(call, (_request, response) => answer(response))
    expect(answers.at(-1)).toMatchObject({
      id: 'a',
      error: { code: -32603, message: expect.stringContaining(why) },
    })
  },
)
