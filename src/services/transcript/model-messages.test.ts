import { expect, test } from 'vitest'
import type { TranscriptCall, TranscriptMessage } from './load-transcript.ts'
import { modelMessages } from './model-messages.ts'

const none = new Map()
const common = { author: null, from: null, at: new Date(0), sequence: 1 }

function call(toolCallId: string, result: TranscriptCall['result']): TranscriptCall {
  return {
    callId: `id-of-${toolCallId}`,
    toolCallId,
    tool: 'read_file',
    input: { path: 'a' },
    verdict: 'preApproved',
    rule: null,
    requestId: null,
    requestState: null,
    manual: false,
    readOnly: true,
    result,
  }
}

function assistant(turn: number, calls: readonly TranscriptCall[]): TranscriptMessage {
  return { ...common, turn, role: 'assistant', text: `turn ${turn}`, calls }
}

// Rules: product.md 15
test('every call of a turn is followed by its result, and all results but outputs are errors', () => {
  const messages = modelMessages(
    [
      { ...common, turn: 1, role: 'user', text: 'go', calls: [] },
      assistant(1, [
        call('a', { type: 'output', text: 'fine', output: 1 }),
        call('b', { type: 'denied', text: 'no' }),
      ]),
    ],
    none,
    [],
  )
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
  expect(messages[2]).toEqual({
    role: 'tool',
    results: [
      { id: 'a', tool: 'read_file', text: 'fine', isError: false },
      { id: 'b', tool: 'read_file', text: 'no', isError: true },
    ],
  })
})

test('an id that occurs twice, in one turn or two, is made distinct and still matches its result', () => {
  const result = { type: 'output', text: '' } as const
  const messages = modelMessages(
    [assistant(1, [call('a', result)]), assistant(2, [call('a', result)])],
    none,
    [],
  )
  const calls = messages.flatMap((one) => (one.role === 'assistant' ? one.calls : []))
  const results = messages.flatMap((one) => (one.role === 'tool' ? one.results : []))
  expect(calls.map((one) => one.id)).toEqual(['a', 'call_id-of-a'])
  expect(results.map((one) => one.id)).toEqual(['a', 'call_id-of-a'])
})

test('a turn without calls has no results', () => {
  expect(modelMessages([assistant(1, [])], none, [])).toEqual([
    { role: 'assistant', text: 'turn 1', calls: [] },
  ])
})

test('a picture that the model sees is next to its call’s result, and one of a person’s call next to its message', () => {
  const picture = { mediaType: 'image/png', bytes: Buffer.from('png') } as const
  const result = { type: 'output', text: '[image: …]' } as const
  const messages = modelMessages(
    [
      { ...common, turn: 1, role: 'user', text: 'looked', calls: [call('m', result)] },
      assistant(1, [call('a', result), call('b', result)]),
    ],
    new Map([
      ['id-of-m', [picture]],
      ['id-of-b', [picture]],
    ]),
    [],
  )
  expect(messages[0]).toEqual({ role: 'user', text: 'looked', pictures: [picture] })
  expect(messages[2]).toMatchObject({ results: [{ id: 'a' }, { id: 'b', pictures: [picture] }] })
  expect(messages[2]).not.toHaveProperty('results.0.pictures')
})
