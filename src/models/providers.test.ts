import { plainModel } from '#test/harness/fixtures/models/plain-model.ts'
import { describe, expect, test } from 'vitest'
import { plainRequest } from '#test/harness/fixtures/models/chat-server.ts'
import { setAndRestart } from '#domain/error-message.ts'
import type { ModelEndpoint, ModelSetting } from '#policy/model-settings.ts'
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
  ['azure:gpt-deployed', 'AZURE', 'api-key', 'secret', '/v1/responses'],
  [
    'bedrock:anthropic.claude',
    'AWS',
    'authorization',
    'Bearer secret',
    '/v1/model/anthropic.claude/converse-stream',
  ],
  [
    'vertex:gemini',
    'GOOGLE_VERTEX',
    'x-goog-api-key',
    'secret',
    '/v1/models/gemini:streamGenerateContent?alt=sse',
  ],
])(
  '%s is called at its base URL with its key, for one step, and streams',
  async (model, prefix, header, value, path) => {
    const environment = server.environment(prefix)
    const { questions } = server
    const pieces: string[] = []
    const answer = await openModel({ ...plainModel, model, script: null, environment }).step({
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
    expect(questions).toHaveLength(1)
    expect(questions[0]?.url).toBe(path)
    expect(questions[0]?.headers[header]).toBe(value)
    expect(JSON.stringify(questions[0]?.body)).toContain('You write.')
  },
)

/** A model of each provider, and the beginning of the names of its variables. */
const models = [
  ['anthropic:claude', 'ANTHROPIC'],
  ['openai:gpt', 'OPENAI'],
  ['google:gemini', 'GOOGLE_GENERATIVE_AI'],
  ['azure:gpt', 'AZURE'],
  ['bedrock:anthropic.claude', 'AWS'],
  ['vertex:gemini', 'GOOGLE_VERTEX'],
  ['openai-compatible:local', 'OPENAI_COMPATIBLE'],
] as const

test.each(models)(
  'of %s no beginning of an answer counts as an answer, wherever it is cut',
  async (model, prefix) => {
    const { OPENAI_COMPATIBLE_API_KEY: _none, ...environment } = server.environment(prefix)
    const open = openModel({ ...plainModel, model, script: null, environment })
    let whole = 0
    server.cut = (events) => {
      whole = events.length
      return events
    }
    await open.step(plainRequest())
    // Events after the one that ends the answer, such as the usage, may be missing.
    const after = { anthropic: 1, bedrock: 1, 'openai-compatible': 2 }[name(model)] ?? 0
    for (let kept = 0; kept < whole - after - 1; kept += 1) {
      server.cut = (events) => events.slice(0, kept)
      const step = open.step(plainRequest())
      await expect(step, `after ${kept} events`).rejects.toMatchObject({ isRetryable: true })
    }
  },
)

// Rules: security.md 23
test.each(models)(
  'a redirect of %s gets neither its key nor the transcript, and the failure says what to do',
  async (model, prefix) => {
    const open = openModel({
      ...plainModel,
      model,
      script: null,
      environment: server.environment(prefix),
    })
    for (const status of [301, 307, 308]) {
      server.questions.length = 0
      server.refuse = () => status
      await expect(open.step(plainRequest())).rejects.toMatchObject({
        isRetryable: false,
        message: `The model ${model} redirects to another address (${status}), which is not called: correct its base URL.`,
      })
      expect(server.questions.map(({ url }) => url)).not.toContain('/elsewhere')
      expect(server.questions).toHaveLength(1)
    }
  },
)

function name(model: string): string {
  return model.slice(0, model.indexOf(':'))
}

test('a model that the SDK does not know yet may write as much as a file takes', async () => {
  const environment = server.environment('ANTHROPIC')
  const { questions } = server
  questions.length = 0
  await openModel({
    ...plainModel,
    model: 'anthropic:claude-of-tomorrow',
    script: null,
    environment,
  }).step({
    runId: 'run',
    turn: 1,
    system: '',
    messages: [{ role: 'user', text: 'Write the notes' }],
    tools: [],
    signal: new AbortController().signal,
  })
  expect(questions[0]?.body.max_tokens).toBe(32_000)
})

test.each(models)(
  'of %s a rate limit waits as long as it says, and a wrong key is final',
  async (model, prefix) => {
    const environment = server.environment(prefix)
    const open = openModel({ ...plainModel, model, environment })
    server.refuse = () => 429
    await expect(open.step(plainRequest())).rejects.toMatchObject({
      isRetryable: true,
      retryAfterMs: 7000,
    })
    server.refuse = () => 403
    await expect(open.step(plainRequest())).rejects.toMatchObject({ isRetryable: false })
    expect(server.questions).toHaveLength(2)
  },
)

test.each([
  ['azure:gpt', {}, 'AZURE_API_KEY'],
  ['azure:gpt', { AZURE_API_KEY: 'x' }, 'AZURE_RESOURCE_NAME'],
  ['bedrock:anthropic.claude', {}, 'AWS_BEARER_TOKEN_BEDROCK'],
  ['bedrock:anthropic.claude', { AWS_ACCESS_KEY_ID: 'x' }, 'AWS_BEARER_TOKEN_BEDROCK'],
  ['bedrock:anthropic.claude', { AWS_BEARER_TOKEN_BEDROCK: 'x' }, 'AWS_REGION'],
  ['vertex:gemini', {}, 'GOOGLE_VERTEX_PROJECT'],
  ['vertex:gemini', { GOOGLE_VERTEX_PROJECT: 'x' }, 'GOOGLE_VERTEX_LOCATION'],
])('%s with %o names the variable that is missing: %s', async (model, environment, name) => {
  const step = openModel({ ...plainModel, model, environment }).step(plainRequest())
  const text = `The model ${model} needs the environment variable ${name}, which is not set: ${setAndRestart}.`
  await expect(step).rejects.toThrow(text)
})

test('bedrock is signed for with the keys of an account where it has no key of its own', async () => {
  const environment = {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'a-secret-access-key',
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.baseUrl,
  }
  const open = openModel({ ...plainModel, model: 'bedrock:amazon.nova-pro-v1:0', environment })
  expect(await open.step(plainRequest())).toMatchObject({ text: 'Looking.' })
  const [question] = server.questions
  expect(question?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-central-1\/bedrock/,
  )
  expect(JSON.stringify(question?.body)).not.toContain('cachePoint')
})

describe('an endpoint of countersign.yaml', () => {
  const endpoint = (more: Partial<ModelEndpoint> = {}): ModelSetting => ({
    price: null,
    context: null,
    endpoint: {
      provider: 'openai-compatible',
      baseUrl: server.baseUrl,
      apiKeyFrom: 'LOCAL_KEY',
      pictures: false,
      source: 'countersign.yaml:1',
      ...more,
    },
  })
  const at = (model: string, models: ReadonlyMap<string, ModelSetting>, environment = {}) =>
    openModel({ ...plainModel, model, models, environment }).step(plainRequest())

  test('is asked with its own key and never with that of its provider', async () => {
    const keys = { LOCAL_KEY: 'local', OPENAI_COMPATIBLE_API_KEY: 'other', ANTHROPIC_API_KEY: 'a' }
    const models = new Map([
      ['local', endpoint()],
      ['open', endpoint({ apiKeyFrom: null })],
      ['team', endpoint({ provider: 'anthropic', apiKeyFrom: 'LOCAL_KEY' })],
    ])
    expect(await at('local:qwen3:8b', models, keys)).toMatchObject({ text: 'Looking.' })
    await at('open:qwen3', models, keys)
    await at('team:claude', models, keys)
    const sent = server.questions.map(({ url, headers, body }) => [
      url,
      headers.authorization ?? headers['x-api-key'],
      body['model'],
    ])
    expect(sent).toEqual([
      ['/v1/chat/completions', 'Bearer local', 'qwen3:8b'],
      ['/v1/chat/completions', undefined, 'qwen3'],
      ['/v1/messages', 'local', 'claude'],
    ])
  })

  test('that is gone, or whose key is missing, is no model', async () => {
    expect(() => at('local:qwen3', new Map())).toThrow('There is no model local:qwen3.')
    const models = new Map([['local', endpoint()]])
    await expect(at('local:qwen3', models)).rejects.toThrow('LOCAL_KEY, which is not set')
    expect(server.questions).toEqual([])
  })
})

test('settings of a worker reach the provider; without caching nothing is marked', async () => {
  const environment = { ...server.environment('ANTHROPIC'), ...server.environment('OPENAI') }
  const settings = { temperature: 0.2, maxOutputTokens: 800, reasoning: null, cache: false }
  const step = (model: string, more = {}) =>
    openModel({ ...plainModel, model, settings: { ...settings, ...more }, environment }).step(
      plainRequest(),
    )
  await step('anthropic:claude')
  const [anthropic] = server.questions
  expect(anthropic?.body).toMatchObject({ temperature: 0.2, max_tokens: 800 })
  expect(JSON.stringify(anthropic?.body)).not.toContain('cache_control')
  await step('openai:gpt-5', { temperature: null, reasoning: 'low' })
  expect(server.questions.at(-1)?.body).toMatchObject({
    max_output_tokens: 800,
    reasoning: { effort: 'low' },
  })
})
