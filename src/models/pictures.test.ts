import { plainModel } from '#test/harness/fixtures/models/plain-model.ts'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { ModelMessage } from './model.ts'
import { server, useProviderServer } from './models.fixture.ts'
import { picturePlaceOf } from './provider-messages.ts'
import { openModel } from './open-model.ts'

useProviderServer()

const png = { mediaType: 'image/png', bytes: Buffer.from('a png') } as const
const gif = { mediaType: 'image/gif', bytes: Buffer.from('a gif') } as const
const data = { png: png.bytes.toString('base64'), gif: gif.bytes.toString('base64') }
const label = '[image: image/png, 5 bytes, sha256:1]'

/** A call with pictures, one that failed with a picture, and a person's with one. */
const messages: readonly ModelMessage[] = [
  { role: 'user', text: 'Look' },
  {
    role: 'assistant',
    text: '',
    calls: [
      { id: 'a', tool: 'look', input: {} },
      { id: 'b', tool: 'look', input: {} },
    ],
  },
  {
    role: 'tool',
    results: [
      { id: 'a', tool: 'look', text: label, isError: false, pictures: [png, gif] },
      { id: 'b', tool: 'look', text: 'failed', isError: true, pictures: [png] },
    ],
  },
  { role: 'user', text: 'A person looked', pictures: [png] },
]

async function request(model: string, environment: Record<string, string>): Promise<JsonObject[]> {
  await openModel({ ...plainModel, model, script: null, environment }).step({
    runId: 'run',
    turn: 1,
    system: '',
    messages,
    tools: [{ name: 'look', description: 'Look', jsonSchema: { type: 'object' } }],
    signal: new AbortController().signal,
  })
  return server.questions.map(({ body }) => body)
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as unknown as JsonObject[]) : []
}

test('Anthropic is given pictures in the result, behind the words that name them; errors are words', async () => {
  const [body] = await request('anthropic:claude-sonnet-4-5', server.environment('ANTHROPIC'))
  const image = (mediaType: string, bytes: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: mediaType, data: bytes },
  })
  expect(listOf(body?.['messages']).at(-1)).toEqual({
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: label },
          image('image/png', data.png),
          image('image/gif', data.gif),
        ],
      },
      { type: 'tool_result', tool_use_id: 'b', content: 'failed', is_error: true },
      { type: 'text', text: 'A person looked' },
      // The cache point from which the next step continues.
      { ...image('image/png', data.png), cache_control: { type: 'ephemeral' } },
    ],
  })
})

test('OpenAI’s Responses are given pictures in the output of the call', async () => {
  const [body] = await request('openai:gpt-5', server.environment('OPENAI'))
  const image = (mediaType: string, bytes: string) => ({
    type: 'input_image',
    image_url: `data:${mediaType};base64,${bytes}`,
  })
  expect(listOf(body?.['input']).slice(-3)).toEqual([
    {
      type: 'function_call_output',
      call_id: 'a',
      output: [
        { type: 'input_text', text: label },
        image('image/png', data.png),
        image('image/gif', data.gif),
      ],
    },
    { type: 'function_call_output', call_id: 'b', output: '{"error":"failed"}' },
    {
      role: 'user',
      content: [{ type: 'input_text', text: 'A person looked' }, image('image/png', data.png)],
    },
  ])
})

test('Google is given pictures as parts of the function’s response, but no GIF, which it does not take', async () => {
  const [body] = await request('google:gemini-3-pro', server.environment('GOOGLE_GENERATIVE_AI'))
  const [, , results, person] = listOf(body?.['contents'])
  const inlineData = { mimeType: 'image/png', data: data.png }
  expect(listOf(results?.['parts'])).toEqual([
    {
      functionResponse: {
        id: 'a',
        name: 'look',
        response: { name: 'look', content: label },
        parts: [{ inlineData }],
      },
    },
    { functionResponse: { id: 'b', name: 'look', response: { name: 'look', error: 'failed' } } },
  ])
  expect(person).toEqual({ role: 'user', parts: [{ text: 'A person looked' }, { inlineData }] })
  expect(JSON.stringify(body)).not.toContain(data.gif)
})

test('an older Gemini, which has no such parts, is given the picture beside the response', async () => {
  const [body] = await request(
    'google:gemini-2.5-flash',
    server.environment('GOOGLE_GENERATIVE_AI'),
  )
  const [, , results] = listOf(body?.['contents'])
  expect(listOf(results?.['parts'])).toContainEqual({
    inlineData: { mimeType: 'image/png', data: data.png },
  })
})

test('chat completions get text alone, unless the configuration says that their model sees pictures', async () => {
  const [body] = await request('openai-compatible:local', server.environment('OPENAI_COMPATIBLE'))
  expect(listOf(body?.['messages']).slice(-3)).toEqual([
    { role: 'tool', tool_call_id: 'a', content: label },
    { role: 'tool', tool_call_id: 'b', content: 'failed' },
    {
      role: 'user',
      content:
        'A person looked\n[1 of the pictures of this message cannot be shown to this model.]',
    },
  ])
})

test('chat completions of a model that sees pictures get them after the results, as data that no person sent', async () => {
  const environment = {
    ...server.environment('OPENAI_COMPATIBLE'),
    OPENAI_COMPATIBLE_PICTURES: 'true',
  }
  const [body] = await request('openai-compatible:local', environment)
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${data.png}` } }
  expect(listOf(body?.['messages']).slice(-4)).toEqual([
    { role: 'tool', tool_call_id: 'a', content: label },
    { role: 'tool', tool_call_id: 'b', content: 'failed' },
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: 'What the call a of look returned holds 1 of the pictures below. They are data of the tool; no person sent them.',
        },
        image,
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'A person looked' }, image] },
  ])
})

test.each([400, 404, 413, 422])(
  'a request whose pictures are refused (%i) is sent once more as text, so that no picture stops a run',
  async (status) => {
    server.refuse = ({ body }) => (JSON.stringify(body).includes(data.png) ? status : null)
    const [first, second, ...more] = await request('openai:gpt-5', server.environment('OPENAI'))
    expect(JSON.stringify(first)).toContain(data.png)
    expect(listOf(second?.['input'])).toContainEqual({
      type: 'function_call_output',
      call_id: 'a',
      output: label,
    })
    expect(more).toEqual([])
  },
)

test.each([401, 429, 500])(
  'a request that is refused otherwise (%i) is not sent again here',
  async (status) => {
    server.refuse = () => status
    await expect(request('openai:gpt-5', server.environment('OPENAI'))).rejects.toThrow(
      new RegExp(String(status)),
    )
    expect(server.questions).toHaveLength(1)
  },
)

test('what is refused without its pictures too is refused as it is', async () => {
  server.refuse = () => 400
  await expect(request('openai:gpt-5', server.environment('OPENAI'))).rejects.toThrow(
    /400: refused/,
  )
  expect(server.questions).toHaveLength(2)
})

test('an endpoint whose models see no pictures gets none, whatever its protocol', () => {
  expect(picturePlaceOf('anthropic', false).types).toEqual([])
  expect(picturePlaceOf('anthropic', true).types).toContain('image/png')
})
