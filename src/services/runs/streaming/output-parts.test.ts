import { uiMessageChunkSchema } from 'ai'
import { expect, test } from 'vitest'
import { outputParts } from './output-parts.ts'
import type { OutputPosition } from './stream-cursor.ts'
import type { CallView, LiveAttempt } from './stream-view.ts'

function call(live: LiveAttempt | null, result: CallView['result'] = null): CallView {
  const named = { callId: 'id', toolCallId: 'c', tool: 'shell' }
  return { ...named, input: {}, requests: [], result, live }
}

const piece = (text: string | Buffer, start = 0, stream: 'stdout' | 'stderr' = 'stdout') => ({
  stream,
  start,
  bytes: Buffer.from(text),
})
const running = (...streams: LiveAttempt['streams']): LiveAttempt => ({
  attempt: 1,
  isLost: false,
  streams,
})
const partsOf = (calls: readonly CallView[], positions: readonly OutputPosition[] = []) =>
  outputParts(calls, positions).map(({ part: { data, id } }) => ({ id, ...data }))
const position = { call: 0, attempt: 1, stdout: 4, stderr: 0, lost: false }

test('new output of a command is sent after the output already sent, with its position, and a gap is marked', async () => {
  const [first, second] = outputParts(
    [call(running(piece('one\n', 4), piece('no\n', 100, 'stderr')))],
    [position],
  )
  expect(first?.part).toMatchObject({
    id: 'id.stdout',
    transient: true,
    data: {
      callId: 'id',
      toolCallId: 'c',
      attempt: 1,
      start: 4,
      end: 8,
      text: 'one\n',
      lost: false,
    },
  })
  // A part of the AI SDK's protocol, which its clients take.
  expect(await uiMessageChunkSchema().validate?.(first?.part)).toMatchObject({ success: true })
  expect(first?.outputs).toEqual([{ ...position, stdout: 8 }])
  expect(second?.part.data).toMatchObject({ stream: 'stderr', start: 100, end: 103 })
  expect(second?.outputs).toEqual([{ ...position, stdout: 8, stderr: 103 }])
})

test('an incomplete character waits, and bytes that are no text do not delay the others', () => {
  const emoji = Buffer.from('a😀')
  expect(partsOf([call(running(piece(emoji.subarray(0, 3))))])).toMatchObject([
    { text: 'a', end: 1 },
  ])
  expect(partsOf([call(running(piece(emoji.subarray(1, 4), 1)))])).toEqual([])
  expect(partsOf([call(running(piece(emoji.subarray(1), 1)))])).toMatchObject([
    { text: '😀', end: 5 },
  ])
  const noText = Buffer.from([0x80, 0x80, 0x80, 0x80, 0xff, 0x41])
  expect(partsOf([call(running(piece(noText)))])).toMatchObject([{ end: 6 }])
  // No bytes can follow after a loss, so an incomplete character is sent as it is.
  const lost = { ...running(piece(emoji.subarray(0, 3))), isLost: true }
  expect(partsOf([call(lost)])).toMatchObject([{ end: 3 }, { lost: true }])
})

test('output of an attempt whose end is unknown, or that another one follows, is marked lost once; output of a result never is', () => {
  const lost = { attempt: 1, isLost: true, streams: [] }
  const parts = outputParts([call(lost)], [position])
  expect(parts.map(({ part }) => part.data)).toMatchObject([{ attempt: 1, text: '', lost: true }])
  expect(outputParts([call(lost)], parts[0]?.outputs ?? [])).toEqual([])
  const again = { attempt: 2, isLost: false, streams: [piece('anew')] }
  expect(partsOf([call(again)], [position])).toMatchObject([
    { attempt: 1, lost: true, text: '' },
    { attempt: 2, lost: false, text: 'anew', start: 0 },
  ])
  const result = { type: 'output', text: 'done' } as const
  expect(outputParts([call(again, result)], [position])).toEqual([])
})
