import { expect, test } from 'vitest'
import { plainRequest } from '#test/harness/fixtures/chat-server.ts'
import { server, useProviderServer } from './models.fixture.ts'
import { openModel } from './open-model.ts'

useProviderServer()

test.each([
  ['anthropic:claude', 'ANTHROPIC', 'x-api-key', 'secret', '/v1/messages'],
  ['openai:gpt', 'OPENAI', 'authorization', 'Bearer secret', '/v1/responses'],
  [
    'google:gemini',
    'GOOGLE_GENERATIVE_AI',
    'x-goog-api-key',
    'secret',
    '/v1/models/gemini:streamGenerateContent?alt=sse',
  ],
])(
  '%s is called at its base URL with its key, for one step, and streams',
  async (model, prefix, header, value, path) => {
    const environment = server.environment(prefix)
    const { asked } = server
    const pieces: string[] = []
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
      onText: (piece) => void pieces.push(piece),
    })
    expect(pieces).toEqual(['Look', 'ing.'])
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

test.each([
  ['anthropic:claude', 'ANTHROPIC'],
  ['openai:gpt', 'OPENAI'],
  ['google:gemini', 'GOOGLE_GENERATIVE_AI'],
  ['openai-compatible:local', 'OPENAI_COMPATIBLE'],
])(
  'of %s no beginning of an answer counts as an answer, wherever it is cut',
  async (model, prefix) => {
    const { OPENAI_COMPATIBLE_API_KEY: _none, ...environment } = server.environment(prefix)
    const open = openModel({ model, script: null, environment })
    let whole = 0
    server.cut = (events) => {
      whole = events.length
      return events
    }
    await open.step(plainRequest())
    // What follows the word that the answer is over may be missing: the usage, an end mark.
    const after = { anthropic: 1, openai: 0, google: 0, 'openai-compatible': 2 }[name(model)] ?? 0
    for (let kept = 0; kept < whole - after - 1; kept += 1) {
      server.cut = (events) => events.slice(0, kept)
      const step = open.step(plainRequest())
      await expect(step, `after ${kept} events`).rejects.toMatchObject({ retryable: true })
    }
  },
)

function name(model: string): string {
  return model.slice(0, model.indexOf(':'))
}

test('a model that the SDK does not know yet may write as much as a file takes', async () => {
  const environment = server.environment('ANTHROPIC')
  const { asked } = server
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
