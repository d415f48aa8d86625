import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../domain/json.ts'
import { openModel } from './open-model.ts'

/** Answers each provider's request in its own format and keeps what was asked. */
const asked: { url: string; headers: IncomingMessage['headers']; body: JsonObject }[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const url = request.url ?? ''
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    asked.push({ url, headers: request.headers, body })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answerTo(url)))
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

function answerTo(url: string): JsonObject {
  if (url.endsWith('/messages')) {
    return {
      type: 'message',
      id: 'm',
      model: 'claude',
      role: 'assistant',
      content: [
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'x' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 5 },
    }
  }
  if (url.endsWith('/responses')) {
    const text = { type: 'output_text', text: 'Looking.', annotations: [] }
    return {
      id: 'r',
      created_at: 1,
      model: 'gpt',
      output: [
        { type: 'message', role: 'assistant', id: 'm', content: [text] },
        {
          type: 'function_call',
          id: 'f',
          call_id: 'a',
          name: 'read_file',
          arguments: '{"path":"x"}',
        },
      ],
      usage: { input_tokens: 3, output_tokens: 5 },
    }
  }
  const functionCall = { id: 'a', name: 'read_file', args: { path: 'x' } }
  return {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Looking.' }, { functionCall }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
  }
}

test.each([
  ['anthropic:claude', 'ANTHROPIC', 'x-api-key', 'secret', '/v1/messages'],
  ['openai:gpt', 'OPENAI', 'authorization', 'Bearer secret', '/v1/responses'],
  [
    'google:gemini',
    'GOOGLE_GENERATIVE_AI',
    'x-goog-api-key',
    'secret',
    '/v1/models/gemini:generateContent',
  ],
])(
  '%s is called at its base URL with its key, for one step',
  async (model, prefix, header, value, path) => {
    const environment = { [`${prefix}_API_KEY`]: 'secret', [`${prefix}_BASE_URL`]: baseUrl }
    asked.length = 0
    const answer = await openModel({ model, script: null, environment }).step({
      runId: 'run',
      turn: 1,
      system: 'You write.',
      messages: [{ role: 'user', text: 'Write the notes' }],
      tools: [
        {
          name: 'read_file',
          description: 'Read a file',
          jsonSchema: { type: 'object', properties: { path: { type: 'string' } } },
        },
      ],
      signal: new AbortController().signal,
    })
    expect(answer).toMatchObject({
      text: 'Looking.',
      calls: [{ tool: 'read_file', input: { path: 'x' } }],
      usage: { inputTokens: 3, outputTokens: 5 },
    })
    expect(asked).toHaveLength(1)
    expect(asked[0]?.url).toBe(path)
    expect(asked[0]?.headers[header]).toBe(value)
    expect(JSON.stringify(asked[0]?.body)).toContain('You write.')
  },
)

test('a model that the SDK does not know yet may write as much as a file takes', async () => {
  const environment = { ANTHROPIC_API_KEY: 'secret', ANTHROPIC_BASE_URL: baseUrl }
  asked.length = 0
  await openModel({ model: 'anthropic:claude-of-tomorrow', script: null, environment }).step({
    runId: 'run',
    turn: 1,
    system: '',
    messages: [{ role: 'user', text: 'Write the notes' }],
    tools: [],
    signal: new AbortController().signal,
  })
  expect(asked[0]?.body.max_tokens).toBe(32_000)
})
