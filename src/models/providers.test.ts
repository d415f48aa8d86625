import { expect, test } from 'vitest'
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
    '/v1/models/gemini:generateContent',
  ],
])(
  '%s is called at its base URL with its key, for one step',
  async (model, prefix, header, value, path) => {
    const environment = server.environment(prefix)
    const { asked } = server
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
