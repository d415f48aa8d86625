import { beforeEach, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import {
  startChatServer,
  streamAnswer,
  toolCalls,
} from '#test/harness/fixtures/models/chat-server.ts'

const server = disposeAfterTests(await startChatServer())

beforeEach(() => {
  server.bodies.length = 0
})

test('text comes in pieces; text and parallel calls are returned as they are, with what they cost', async () => {
  server.answer((response) =>
    streamAnswer(
      response,
      [
        { content: 'I ' },
        { content: 'look.' },
        toolCalls(
          { id: 'a', name: 'read_file', args: '{"path":"x"}' },
          { id: 'b', name: 'read_file', args: '{"path":"y"}' },
        ),
      ],
      'tool_calls',
    ),
  )
  const pieces: string[] = []
  expect(await server.ask({ onText: (piece) => void pieces.push(piece) })).toEqual({
    text: 'I look.',
    calls: [
      { id: 'a', tool: 'read_file', input: { path: 'x' } },
      { id: 'b', tool: 'read_file', input: { path: 'y' } },
    ],
    usage: { inputTokens: 3, cachedInputTokens: 0, outputTokens: 5 },
    responseModel: 'test',
  })
  expect(pieces).toEqual(['I ', 'look.'])
})

test('the model is given instructions, tools, calls and results', async () => {
  server.answer((response) => streamAnswer(response, [{ content: 'Done.' }]))
  await server.ask({
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
  expect(server.bodies[0]).toMatchObject({
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
  server.answer((response) =>
    streamAnswer(
      response,
      [
        toolCalls(
          { id: 'a', name: 'format_disk', args: '{"all":true}' },
          { id: 'b', name: 'read_file', args: '{"path": oops' },
          { id: 'c', name: 'read_file', args: '{"pth":1}' },
          { id: 'd', name: '__proto__', args: '{"__proto__":{"x":1}}' },
          { id: 'e', name: 'read_file', args: '' },
        ),
      ],
      'tool_calls',
    ),
  )
  const { calls } = await server.ask()
  expect(calls).toEqual([
    { id: 'a', tool: 'format_disk', input: { all: true } },
    { id: 'b', tool: 'read_file', input: { invalidJson: '{"path": oops' } },
    { id: 'c', tool: 'read_file', input: { pth: 1 } },
    { id: 'd', tool: '__proto__', input: { invalidJson: '{"__proto__":{"x":1}}' } },
    { id: 'e', tool: 'read_file', input: {} },
  ])
})

test('what was called without JSON can be shown to the model again', async () => {
  server.answer((response) => streamAnswer(response, [{ content: 'ok' }]))
  const input = { invalidJson: '{"path": oops' }
  await server.ask({
    messages: [
      { role: 'user', text: 'Write' },
      { role: 'assistant', text: '', calls: [{ id: 'b', tool: 'read_file', input }] },
      { role: 'tool', results: [{ id: 'b', tool: 'read_file', text: 'not JSON', isError: true }] },
    ],
  })
  expect(JSON.stringify(server.bodies[0])).toContain('oops')
})

test('an answer without text and calls completes with nothing', async () => {
  server.answer((response) => streamAnswer(response, [{ content: '' }]))
  expect(await server.ask()).toMatchObject({ text: '', calls: [] })
})
