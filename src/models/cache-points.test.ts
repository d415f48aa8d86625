import { plainModel } from '#test/harness/fixtures/models/plain-model.ts'
import { expect, test } from 'vitest'
import { plainRequest } from '#test/harness/fixtures/models/chat-server.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { ModelMessage } from './model.ts'
import { server, useProviderServer } from './models.fixture.ts'
import { openModel } from './open-model.ts'

useProviderServer()

const call = (id: string) => ({ id, tool: 'read_file', input: { path: id } })
const result = (id: string) => ({ id, tool: 'read_file', text: `of ${id}`, isError: false })

/** The messages that the model gets at each step of a run. */
const first: readonly ModelMessage[] = [{ role: 'user', text: 'Write the notes' }]
const second: readonly ModelMessage[] = [
  ...first,
  { role: 'assistant', text: 'I read.', calls: [call('a'), call('b')] },
  { role: 'tool', results: [result('a'), result('b')] },
]
const third: readonly ModelMessage[] = [
  ...second,
  { role: 'assistant', text: '', calls: [call('c')] },
  { role: 'tool', results: [result('c')] },
  { role: 'user', text: 'And quickly' },
]

async function ask(
  messages: readonly ModelMessage[],
  model = 'anthropic:claude',
  prefix = 'ANTHROPIC',
) {
  const open = openModel({
    ...plainModel,
    model,
    script: null,
    environment: server.environment(prefix),
  })
  const answer = await open.step({ ...plainRequest(), messages })
  return { answer, body: server.questions.at(-1)?.body ?? {} }
}

/** A body without its cache points: the text that the provider reads. */
function withoutPoints(value: Json | undefined): string {
  return JSON.stringify(value, (key, one) => (key === 'cache_control' ? undefined : one))
}

function blocksOf(body: JsonObject): JsonObject[] {
  const messages = body['messages'] as unknown as { content: JsonObject[] }[]
  return messages.flatMap(({ content }) => content)
}

// Rules: product.md 33
test('each step re-sends what the steps before it sent, byte for byte, and adds to its end', async () => {
  const bodies: JsonObject[] = []
  for (const messages of [first, second, third]) bodies.push((await ask(messages)).body)
  for (const [index, body] of bodies.entries()) {
    const before = bodies[index - 1]
    if (before === undefined) continue
    expect(withoutPoints(body['tools'])).toBe(withoutPoints(before['tools']))
    expect(withoutPoints(body['system'])).toBe(withoutPoints(before['system']))
    const begun = withoutPoints(blocksOf(before)).slice(0, -1)
    expect(withoutPoints(blocksOf(body)).startsWith(begun)).toBe(true)
  }
})

test('Anthropic is told to cache behind the instructions, where the step before ended, and at the end', async () => {
  const { body } = await ask(third)
  const point = { type: 'ephemeral' }
  expect(body['system']).toEqual([{ type: 'text', text: 'You write.', cache_control: point }])
  const blocks = blocksOf(body)
  const points = blocks.flatMap((block, index) => ('cache_control' in block ? [index] : []))
  // The second step ended with the result of `b`, this one ends with the message of a person.
  expect(points.map((index) => blocks[index]?.['type'])).toEqual(['tool_result', 'text'])
  expect(points.at(-1)).toBe(blocks.length - 1)
  expect(blocks[points[0] ?? 0]).toMatchObject({ tool_use_id: 'b' })
})

test('other providers get no marks', async () => {
  const { body } = await ask(third, 'openai:gpt', 'OPENAI')
  expect(JSON.stringify(body)).not.toMatch(/cache_?control/i)
})

test('tokens that came from the cache are reported as part of the input', async () => {
  server.cut = (events) =>
    events.map((event) =>
      String(event).replace('"input_tokens":3', '"input_tokens":3,"cache_read_input_tokens":40'),
    )
  const { answer } = await ask(first)
  expect(answer.usage).toEqual({ inputTokens: 43, cachedInputTokens: 40, outputTokens: 5 })
})
