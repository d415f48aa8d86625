import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { JsonObject } from '../domain/json.ts'
import { ModelProblem, type ModelAnswer, type ModelRequest } from './model.ts'
import { openModel } from './open-model.ts'

type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A local server that speaks the chat-completions format. */
let respond: Respond
const bodies: JsonObject[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    respond(response, request)
  })
})
let baseUrl: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  bodies.length = 0
})

function json(response: ServerResponse, value: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A completion with a message and why it ended. */
function completion(message: JsonObject, finish = 'stop'): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'test',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  }
}

function toolCall(id: string, name: string, args: string): JsonObject {
  return { id, type: 'function', function: { name, arguments: args } }
}

const readFile = {
  name: 'read_file',
  description: 'Read a file',
  jsonSchema: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
}

function ask(request: Partial<ModelRequest> = {}, timeoutMs = 5000): Promise<ModelAnswer> {
  const environment = {
    OPENAI_COMPATIBLE_BASE_URL: baseUrl,
    OPENAI_COMPATIBLE_API_KEY: 'sk-very-secret',
  }
  const model = openModel({ model: 'openai-compatible:test', script: null, environment, timeoutMs })
  return model.step({
    runId: 'run',
    turn: 1,
    system: 'You write.',
    messages: [{ role: 'user', text: 'Write the notes' }],
    tools: [readFile],
    signal: new AbortController().signal,
    ...request,
  })
}

async function problem(work: Promise<unknown>): Promise<ModelProblem> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ModelProblem) return error
  throw new Error(`expected a ModelProblem, got ${String(error)}`)
}

test('text and parallel calls are returned as they are, with what they cost', async () => {
  respond = (response) =>
    json(
      response,
      completion(
        {
          content: 'I look.',
          tool_calls: [
            toolCall('a', 'read_file', '{"path":"x"}'),
            toolCall('b', 'read_file', '{"path":"y"}'),
          ],
        },
        'tool_calls',
      ),
    )
  expect(await ask()).toEqual({
    text: 'I look.',
    calls: [
      { id: 'a', tool: 'read_file', input: { path: 'x' } },
      { id: 'b', tool: 'read_file', input: { path: 'y' } },
    ],
    usage: { inputTokens: 11, outputTokens: 7 },
  })
})

test('the model is given instructions, tools, calls and results', async () => {
  respond = (response) => json(response, completion({ content: 'Done.' }))
  await ask({
    messages: [
      { role: 'user', text: 'Write' },
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'a', tool: 'read_file', input: { path: 'x' } }],
      },
      {
        role: 'tool',
        results: [{ id: 'a', tool: 'read_file', text: 'denied: use yarn', isError: true }],
      },
      { role: 'assistant', text: '', calls: [] },
      { role: 'user', text: 'Go on' },
    ],
  })
  expect(bodies[0]).toMatchObject({
    model: 'test',
    messages: [
      { role: 'system', content: 'You write.' },
      { role: 'user', content: 'Write' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', function: { name: 'read_file', arguments: '{"path":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'denied: use yarn' },
      { role: 'user', content: 'Go on' },
    ],
    tools: [{ type: 'function', function: { name: 'read_file' } }],
  })
})

test('an invented tool and arguments that are not JSON are calls for policy to refuse, not failures', async () => {
  respond = (response) =>
    json(
      response,
      completion(
        {
          content: null,
          tool_calls: [
            toolCall('a', 'format_disk', '{"all":true}'),
            toolCall('b', 'read_file', '{"path": oops'),
            toolCall('c', 'read_file', '{"pth":1}'),
            toolCall('d', '__proto__', '{"__proto__":{"x":1}}'),
            toolCall('e', 'read_file', ''),
          ],
        },
        'tool_calls',
      ),
    )
  const { calls } = await ask()
  expect(calls).toEqual([
    { id: 'a', tool: 'format_disk', input: { all: true } },
    { id: 'b', tool: 'read_file', input: { invalidJson: '{"path": oops' } },
    { id: 'c', tool: 'read_file', input: { pth: 1 } },
    { id: 'd', tool: '__proto__', input: { invalidJson: '{"__proto__":{"x":1}}' } },
    { id: 'e', tool: 'read_file', input: {} },
  ])
})

test('what was called without JSON can be shown to the model again', async () => {
  respond = (response) => json(response, completion({ content: 'ok' }))
  const input = { invalidJson: '{"path": oops' }
  await ask({
    messages: [
      { role: 'user', text: 'Write' },
      { role: 'assistant', text: '', calls: [{ id: 'b', tool: 'read_file', input }] },
      { role: 'tool', results: [{ id: 'b', tool: 'read_file', text: 'not JSON', isError: true }] },
    ],
  })
  expect(JSON.stringify(bodies[0])).toContain('oops')
})

test.each([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['milliseconds', { 'retry-after-ms': '250' }, 250],
])('a rate limit is retryable after the %s it names', async (_unit, headers, retryAfterMs) => {
  respond = (response) => json(response, { error: { message: 'slow down' } }, 429, headers)
  const found = await problem(ask())
  expect(found).toMatchObject({ retryable: true, retryAfterMs })
  expect(found.message).toContain('429')
  expect(bodies).toHaveLength(1)
})

test('a rate limit may name a date', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString()
  respond = (response) => json(response, { error: { message: 'x' } }, 429, { 'retry-after': date })
  const { retryAfterMs } = await problem(ask())
  expect(retryAfterMs).toBeGreaterThan(50_000)
  expect(retryAfterMs).toBeLessThan(61_000)
})

test.each([500, 502, 503, 529])('a server error (%i) is retryable', async (status) => {
  respond = (response) => json(response, { error: { message: 'oh no' } }, status)
  const found = await problem(ask())
  expect(found).toMatchObject({ retryable: true })
  expect(found.retryAfterMs).toBeUndefined()
})

test.each([400, 401, 403, 404])('a refused request (%i) is not retried', async (status) => {
  respond = (response) => json(response, { error: { message: 'no: sk-very-secret' } }, status)
  const found = await problem(ask())
  expect(found.retryable).toBe(false)
  expect(found.message).toContain(`${status}`)
  expect(found.message).not.toContain('sk-very-secret')
})

test('a model that does not answer in time is retryable', async () => {
  respond = () => undefined
  const found = await problem(ask({}, 150))
  expect(found).toMatchObject({ retryable: true })
  expect(found.message).toContain('did not answer in time')
})

test('cancelling ends the step with the reason of the signal, not as a model problem', async () => {
  const cancelled = new AbortController()
  respond = () => cancelled.abort(new Error('the run was cancelled'))
  await expect(ask({ signal: cancelled.signal })).rejects.toThrow('the run was cancelled')
})

test.each<[string, Respond]>([
  ['is not JSON', (response) => json(response, '{"choices": [')],
  ['is JSON of another kind', (response) => json(response, { hello: 'world' })],
  ['is empty', (response) => json(response, '')],
  [
    'breaks off',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
      response.write('{"choices":')
      setImmediate(() => response.destroy())
    },
  ],
  ['is a closed connection', (response) => response.destroy()],
])('an answer that %s is retryable', async (_title, answer) => {
  respond = answer
  expect(await problem(ask())).toMatchObject({ retryable: true })
})

test('an answer that was cut at its output limit is refused, calls and all', async () => {
  respond = (response) =>
    json(
      response,
      completion(
        { content: 'half', tool_calls: [toolCall('a', 'read_file', '{"path":"x"}')] },
        'length',
      ),
    )
  const found = await problem(ask())
  expect(found).toMatchObject({ retryable: false })
  expect(found.message).toContain('output limit')
})

test('an answer without text and calls completes with nothing', async () => {
  respond = (response) => json(response, completion({ content: '' }))
  expect(await ask()).toMatchObject({ text: '', calls: [] })
})

test.each([
  ['anthropic:claude', 'ANTHROPIC_API_KEY'],
  ['openai:gpt', 'OPENAI_API_KEY'],
  ['google:gemini', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['openai-compatible:llama', 'OPENAI_COMPATIBLE_BASE_URL'],
])('%s without %s says which variable is missing', async (model, variable) => {
  const step = openModel({ model, script: null, environment: {} }).step({
    runId: 'run',
    turn: 1,
    system: '',
    messages: [{ role: 'user', text: 'hi' }],
    tools: [],
    signal: new AbortController().signal,
  })
  const found = await problem(step)
  expect(found).toMatchObject({ retryable: false })
  expect(found.message).toContain(variable)
})

test('no connection is retryable', async () => {
  const environment = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }
  const model = openModel({ model: 'openai-compatible:x', script: null, environment })
  const found = await problem(
    model.step({
      runId: 'run',
      turn: 1,
      system: '',
      messages: [{ role: 'user', text: 'hi' }],
      tools: [],
      signal: new AbortController().signal,
    }),
  )
  expect(found).toMatchObject({ retryable: true })
})
