import { expect, test } from 'vitest'
import type { TranscriptCall, TranscriptMessage } from './load-transcript.ts'
import { modelMessages } from './model-messages.ts'

const common = { author: null, at: new Date(0), sequence: 1 }

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
    result,
  }
}

function assistant(turn: number, calls: readonly TranscriptCall[]): TranscriptMessage {
  return { ...common, turn, role: 'assistant', text: `turn ${turn}`, calls }
}

// Rules: product.md 15
test('every call of a turn is followed by its result; all but outputs are errors', () => {
  const messages = modelMessages([
    { ...common, turn: 1, role: 'user', text: 'go', calls: [] },
    assistant(1, [
      call('a', { type: 'output', text: 'fine', output: 1 }),
      call('b', { type: 'denied', text: 'no' }),
    ]),
  ])
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
  expect(messages[2]).toEqual({
    role: 'tool',
    results: [
      { id: 'a', tool: 'read_file', text: 'fine', isError: false },
      { id: 'b', tool: 'read_file', text: 'no', isError: true },
    ],
  })
})

test('an id that comes twice, in one turn or two, is told apart and still fits its result', () => {
  const result = { type: 'output', text: '' } as const
  const messages = modelMessages([
    assistant(1, [call('a', result)]),
    assistant(2, [call('a', result)]),
  ])
  const asked = messages.flatMap((one) => (one.role === 'assistant' ? one.calls : []))
  const told = messages.flatMap((one) => (one.role === 'tool' ? one.results : []))
  expect(asked.map((one) => one.id)).toEqual(['a', 'call_id-of-a'])
  expect(told.map((one) => one.id)).toEqual(['a', 'call_id-of-a'])
})

test('a turn without calls has no results', () => {
  expect(modelMessages([assistant(1, [])])).toEqual([
    { role: 'assistant', text: 'turn 1', calls: [] },
  ])
})
