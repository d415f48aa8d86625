import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advanceStream } from './advance-stream.ts'
import { beginAt, cursorId, parseCursor, type StreamCursor } from './stream-cursor.ts'
import type { CallView, StreamView, TurnView } from './stream-view.ts'
import type { UiEvent } from '#domain/runs/ui-part.ts'

const text = 'I will write the notes, and then read them again to be sure.'
const output = { type: 'output', text: 'Written.' } as const

function call(id: string, more: Partial<CallView> = {}): CallView {
  return {
    callId: `call-${id}`,
    live: null,
    toolCallId: id,
    tool: 'write_file',
    input: { path: id },
    requests: [],
    result: null,
    ...more,
  }
}

function view(turn: TurnView, more: Partial<StreamView> = {}): StreamView {
  const turns = turn.kind === 'stored' ? 1 : 0
  const rest = null
  return { runId: 'run', turns, state: 'running', rest, failure: null, rests: false, turn, ...more }
}

/** What a run looks like as time passes, to a reader who has all of it. */
const life: readonly StreamView[] = [
  view({ kind: 'none' }),
  view({ kind: 'live', attempt: 1, text: '' }),
  view({ kind: 'live', attempt: 1, text: 'I wi' }),
  view({ kind: 'live', attempt: 1, text: text.slice(0, 20) }),
  view({ kind: 'stored', attempt: 1, text, calls: [call('a'), call('b')] }),
  view({ kind: 'stored', attempt: 1, text, calls: [call('a', { requests: ['r1'] }), call('b')] }),
  view({
    kind: 'stored',
    attempt: 1,
    text,
    calls: [call('a', { requests: ['r1'] }), call('b', { result: output })],
  }),
  view({
    kind: 'stored',
    attempt: 1,
    text,
    calls: [
      call('a', { requests: ['r1', 'r2'], result: { type: 'denied', text: 'denied' } }),
      call('b', { result: output }),
    ],
  }),
  view(
    {
      kind: 'stored',
      attempt: 1,
      text,
      calls: [
        call('a', { requests: ['r1', 'r2'], result: { type: 'denied', text: 'denied' } }),
        call('b', { result: output }),
      ],
    },
    { state: 'waiting_for_input', rest: 'answered', rests: true },
  ),
]

/** As the store answers a reader at a cursor: text behind its offset, and the turn it reads. */
function seenBy(cursor: StreamCursor, whole: StreamView): StreamView {
  if (cursor.turn > 1) return { ...whole, turn: { kind: 'none' } }
  const { turn } = whole
  if (turn.kind === 'none') return whole
  const isSame = cursor.stage === 'text' && cursor.attempt === turn.attempt
  return { ...whole, turn: { ...turn, text: turn.text.slice(isSame ? cursor.offset : 0) } }
}

/** Reads what there is until nothing more comes. */
function readAll(
  from: StreamCursor,
  whole: StreamView,
): { cursor: StreamCursor; events: UiEvent[] } {
  const events: UiEvent[] = []
  let cursor = from
  for (;;) {
    const next = advanceStream(cursor, seenBy(cursor, whole))
    events.push(...next.events)
    const isSame = next.cursor.turn === cursor.turn || next.cursor.stage === 'done'
    cursor = next.cursor
    if (isSame) return { cursor, events }
  }
}

function joined(events: readonly UiEvent[]): unknown[] {
  const parts: unknown[] = []
  let output = ''
  for (const { part } of events) {
    if (part !== '[DONE]' && part.type === 'text-delta') output += part.delta
    else parts.push(part)
  }
  return [...parts, output]
}

const whole = [
  { type: 'start', messageId: 'run.1' },
  { type: 'start-step' },
  { type: 'text-start', id: '1.1' },
  { type: 'text-end', id: '1.1' },
  { type: 'tool-input-available', toolCallId: 'a', toolName: 'write_file', input: { path: 'a' } },
  { type: 'tool-input-available', toolCallId: 'b', toolName: 'write_file', input: { path: 'b' } },
  { type: 'tool-approval-request', approvalId: 'r1', toolCallId: 'a' },
  { type: 'tool-output-available', toolCallId: 'b', output: 'Written.' },
  { type: 'tool-approval-request', approvalId: 'r2', toolCallId: 'a' },
  { type: 'tool-output-denied', toolCallId: 'a' },
  { type: 'finish-step' },
  {
    type: 'finish',
    finishReason: 'stop',
    messageMetadata: { state: 'waiting_for_input', rest: 'answered', failure: null },
  },
  '[DONE]',
  text,
]

test('a reader from the beginning gets every part once, in the order of the protocol', () => {
  let cursor = beginAt(1)
  const events = life.flatMap((step) => {
    const read = readAll(cursor, step)
    cursor = read.cursor
    return read.events
  })
  expect(joined(events)).toEqual(whole)
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
})

test('a reader who returns after any event, at any time, gets exactly the missing parts, nothing twice', () => {
  const breaks = fc.array(fc.tuple(fc.nat(life.length - 1), fc.nat(30)), { maxLength: 6 })
  fc.assert(
    fc.property(breaks, (cuts) => {
      let cursor: StreamCursor = beginAt(1)
      const events: UiEvent[] = []
      for (const [at, step] of life.entries()) {
        const read = readAll(cursor, step)
        const cut = cuts.find(([when]) => when === at)
        const got = cut === undefined ? read.events : read.events.slice(0, cut[1])
        events.push(...got)
        // Cut off: the last id that came through is all that the reader has.
        const last = got.at(-1)?.id ?? events.at(-1)?.id
        cursor = last === undefined ? beginAt(1) : (parseCursor(last) ?? beginAt(1))
      }
      const rest = life.at(-1)
      if (rest !== undefined && cursor.stage !== 'done')
        events.push(...readAll(cursor, rest).events)
      const texts = joined(events)
      expect(texts.at(-1)).toBe(text)
      expect(texts.length).toBeLessThanOrEqual(whole.length)
      expect(whole).toEqual(expect.arrayContaining(texts))
    }),
  )
})

test('the text of a failed attempt is withdrawn before the next one begins, and before the run rests', () => {
  const first = advanceStream(beginAt(1), view({ kind: 'live', attempt: 1, text: 'Half a' }))
  const again = advanceStream(first.cursor, view({ kind: 'live', attempt: 2, text: 'Whole' }))
  expect(again.events.map(({ part }) => part)).toEqual([
    { type: 'reset-step' },
    { type: 'text-start', id: '1.2' },
    { type: 'text-delta', id: '1.2', delta: 'Whole' },
  ])
  const failure = { code: 'model_failed', message: 'It failed.' }
  const gaveUp = view(
    { kind: 'none' },
    {
      state: 'waiting_for_input',
      rest: 'model_failed',
      rests: true,
      failure,
    },
  )
  expect(advanceStream(again.cursor, gaveUp).events.map(({ part }) => part)).toEqual([
    { type: 'reset-step' },
    { type: 'finish-step' },
    {
      type: 'finish',
      finishReason: 'error',
      messageMetadata: { state: 'waiting_for_input', rest: 'model_failed', failure },
    },
    '[DONE]',
  ])
})

test('errors, blocks and expiries are errors of the tool, with their text', () => {
  const calls = (['error', 'blocked', 'expired', 'cancelled', 'unknown'] as const).map((type) =>
    call(type, { result: { type, text: `it is ${type}` } }),
  )
  const stored = view({ kind: 'stored', attempt: 1, text: '', calls })
  const parts = advanceStream(beginAt(1), stored).events.map(({ part }) => part)
  expect(parts).toContainEqual({
    type: 'tool-output-error',
    toolCallId: 'blocked',
    errorText: 'it is blocked',
  })
  expect(
    parts.filter((part) => part !== '[DONE]' && part.type === 'tool-output-error'),
  ).toHaveLength(5)
})

test('an id is parsed to the cursor that it was made of, and nothing else is an id', () => {
  const cursor = { turn: 12, stage: 'calls', attempt: 3, offset: 99, calls: '-0z1' } as const
  const outputs = [
    { call: 1, attempt: 2, stdout: 10, stderr: 0, lost: false },
    { call: 3, attempt: 1, stdout: 0, stderr: 7, lost: true },
  ]
  for (const one of [
    { ...cursor, outputs: [] },
    { ...cursor, outputs },
  ]) {
    expect(parseCursor(cursorId(one))).toEqual(one)
  }
  const wrong = [
    '',
    '1',
    '1.n.0.0',
    '1.q.0.0',
    '-1.t.1.0',
    '1.t.1',
    '1.t.1.0.',
    '1.c.1.0.0.',
    '1.c.1.0.0.1-1-1',
    '1.c.1.0.0.1-1-1-1x_',
    '1.c.1.0.0.1-1-1-x',
    '1.t.1.0.ä',
    '1.t.1e3.0',
    ' 1.t.1.0',
    '9999999999.t.1.0',
  ]
  for (const id of wrong) expect(parseCursor(id), id).toBeNull()
})
