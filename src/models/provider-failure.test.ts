import type { ServerResponse } from 'node:http'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { plainModel } from '#test/harness/fixtures/models/plain-model.ts'
import { beforeEach, expect, test } from 'vitest'
import {
  chatServerKey,
  json,
  plainRequest,
  startChatServer,
  streamAnswer,
  toolCalls,
  type Respond,
} from '#test/harness/fixtures/models/chat-server.ts'
import { chatEvents } from '#test/harness/fixtures/models/provider-streams.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { ModelProblem } from './model.ts'
import { openModel } from './open-model.ts'
import { providerFailure } from './provider-failure.ts'

const server = disposeAfterTests(await startChatServer())

beforeEach(() => {
  server.bodies.length = 0
})

/** Begins a stream that says something and does not end. */
function begin(response: ServerResponse, deltas: readonly JsonObject[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of chatEvents(deltas, 'stop').slice(0, deltas.length)) response.write(event)
}

/** A word every tenth of a second. */
function drip(response: ServerResponse, words: number): void {
  const events = chatEvents([{ content: 'word ' }], 'stop')
  begin(response, [])
  let count = 0
  const timer = setInterval(() => {
    if (count < words) response.write(events[0])
    else response.end(events.slice(1).join(''))
    count += 1
  }, 100)
  response.on('close', () => clearInterval(timer))
}

async function problem(work: Promise<unknown>): Promise<ModelProblem> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ModelProblem) return error
  throw new Error(`expected a ModelProblem, got ${String(error)}`)
}

test.each([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['milliseconds', { 'retry-after-ms': '250' }, 250],
])('a rate limit is retryable after the %s it names', async (_unit, headers, retryAfterMs) => {
  server.answer((response) => json(response, { error: { message: 'slow down' } }, 429, headers))
  const failure = await problem(server.ask())
  expect(failure).toMatchObject({ isRetryable: true, retryAfterMs })
  expect(failure.message).toContain('429')
  expect(server.bodies).toHaveLength(1)
})

test('a rate limit may name a date', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString()
  server.answer((response) =>
    json(response, { error: { message: 'x' } }, 429, { 'retry-after': date }),
  )
  const { retryAfterMs } = await problem(server.ask())
  expect(retryAfterMs).toBeGreaterThan(50_000)
  expect(retryAfterMs).toBeLessThan(61_000)
})

test.each([500, 502, 503, 529])('a server error (%i) is retryable', async (status) => {
  server.answer((response) => json(response, { error: { message: 'oh no' } }, status))
  const failure = await problem(server.ask())
  expect(failure).toMatchObject({ isRetryable: true })
  expect(failure.retryAfterMs).toBeUndefined()
})

test.each([400, 401, 403, 404])('a refused request (%i) is not retried', async (status) => {
  server.answer((response) =>
    json(response, { error: { message: `no: ${chatServerKey}` } }, status),
  )
  const failure = await problem(server.ask())
  expect(failure.isRetryable).toBe(false)
  expect(failure.message).toContain(`${status}`)
  expect(failure.message).not.toContain(chatServerKey)
})

test('a model that does not answer in time is retryable', async () => {
  server.answer(() => undefined)
  const failure = await problem(server.ask({}, { timeoutMs: 150 }))
  expect(failure).toMatchObject({ isRetryable: true })
  expect(failure.message).toContain('did not answer in time')
})

test('an answer may take longer than the provider may be silent', async () => {
  server.answer((response) => drip(response, 6))
  expect(await server.ask({}, { timeoutMs: 400 })).toMatchObject({ text: 'word '.repeat(6) })
})

test('an answer that comes byte by byte for ever is given up, and the failure is retryable', async () => {
  server.answer((response) => drip(response, Infinity))
  const failure = await problem(server.ask({}, { timeoutMs: 1000, totalTimeoutMs: 500 }))
  expect(failure).toMatchObject({ isRetryable: true })
  expect(failure.message).toContain('did not answer in time')
})

test('cancelling in the middle of the text ends the step with the reason of the signal', async () => {
  const cancelled = new AbortController()
  server.answer((response) => begin(response, [{ content: 'The notes are' }]))
  const step = server.ask({
    signal: cancelled.signal,
    onText: () => cancelled.abort(new Error('the run was cancelled')),
  })
  await expect(step).rejects.toThrow('the run was cancelled')
})

test('cancelling ends the step with the reason of the signal, not as a model problem', async () => {
  const cancelled = new AbortController()
  server.answer(() => cancelled.abort(new Error('the run was cancelled')))
  await expect(server.ask({ signal: cancelled.signal })).rejects.toThrow('the run was cancelled')
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
  [
    'is cut in the middle of its text',
    (response) => {
      begin(response, [{ content: 'The notes are' }])
      setImmediate(() => response.destroy())
    },
  ],
  [
    'is cut between the arguments of a call',
    (response) => {
      begin(response, [toolCalls({ id: 'a', name: 'read_file', args: '{"path":"/etc' })])
      setImmediate(() => response.destroy())
    },
  ],
  [
    'ends without saying why, as a proxy cuts it',
    (response) => {
      begin(response, [{ content: 'The notes are' }])
      response.end()
    },
  ],
  [
    'ends without saying why after a whole call',
    (response) => {
      begin(response, [toolCalls({ id: 'a', name: 'read_file', args: '{"path":"x"}' })])
      response.end()
    },
  ],
  [
    'turns into an error in the middle of its text',
    (response) => {
      begin(response, [{ content: 'The notes are' }])
      response.end('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n')
    },
  ],
])('an answer that %s is retryable', async (_title, answer) => {
  server.answer(answer)
  expect(await problem(server.ask())).toMatchObject({ isRetryable: true })
})

test('an answer that was cut at its output limit is refused, calls and all', async () => {
  server.answer((response) =>
    streamAnswer(
      response,
      [{ content: 'half' }, toolCalls({ id: 'a', name: 'read_file', args: '{"path":"x"}' })],
      'length',
    ),
  )
  const failure = await problem(server.ask())
  expect(failure).toMatchObject({ isRetryable: false })
  expect(failure.message).toContain('output limit')
})

test.each([
  ['anthropic:claude', 'ANTHROPIC_API_KEY'],
  ['openai:gpt', 'OPENAI_API_KEY'],
  ['google:gemini', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['openai-compatible:llama', 'OPENAI_COMPATIBLE_BASE_URL'],
])('%s without %s says which variable is missing', async (model, variable) => {
  const step = openModel({ ...plainModel, model, script: null, environment: {} }).step(
    plainRequest(),
  )
  const failure = await problem(step)
  expect(failure).toMatchObject({ isRetryable: false })
  expect(failure.message).toContain(variable)
})

test('no connection is retryable', async () => {
  const environment = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }
  const model = openModel({
    ...plainModel,
    model: 'openai-compatible:x',
    script: null,
    environment,
  })
  const failure = await problem(model.step(plainRequest()))
  expect(failure).toMatchObject({ isRetryable: true })
})

test.each([
  ['ollama', 'model ollama is not here'],
  ['x', 'max exceeded'],
])('a placeholder of a key is not cut out of what a provider says: %s', (key, message) => {
  expect(providerFailure(new Error(message), 'm', key).message).toContain(message)
})

test('a key is cut out of what a provider says', () => {
  const { message } = providerFailure(new Error('no such key: sk-12345678'), 'm', 'sk-12345678')
  expect(message).not.toContain('12345678')
})

// Rules: product.md 31
test.each([
  [
    400,
    'This model’s maximum context length is 8192 tokens. Reduce the length of the messages.',
    true,
  ],
  [400, 'prompt is too long: 210000 tokens > 200000 maximum', true],
  [400, 'The input token count exceeds the maximum number of tokens allowed', true],
  [413, 'Payload', true],
  [400, 'tools.0.name is too long', false],
  [429, 'Too many tokens a minute', false],
  [500, 'context length', false],
])(
  'a refusal (%i: %s) says whether there is too much of the request: %s',
  async (status, message, tooLong) => {
    server.answer((response) => json(response, { error: { message } }, status))
    expect((await problem(server.ask())).isTooLong).toBe(tooLong)
  },
)
