import { expect, test } from 'vitest'
import { placeOfCaller, spanOfRequest, traceOf } from './trace-ids.ts'

const runId = '0199a1b2-c3d4-7e5f-8a6b-1c2d3e4f5a6b'
const place = { traceId: '0199a1b2c3d47e5f8a6b1c2d3e4f5a6b', spanId: '8a6b1c2d3e4f5a6b' }

test('the trace of a run follows from its id, and from that of its workflow', () => {
  expect(traceOf(runId)).toEqual(place)
  expect(traceOf(`agent-run:${runId}`)).toEqual(place)
  expect(traceOf('judge:something')).toBeNull()
})

test('a request has a span of its own, whoever chose its id', () => {
  expect(spanOfRequest(runId)).toBe('8a6b1c2d3e4f5a6b')
  expect(spanOfRequest(runId.replaceAll('-', ''))).toBe('8a6b1c2d3e4f5a6b')
})

test('a trace of the caller is continued only if its header has the form of the standard', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  expect(placeOfCaller(traceparent)).toEqual({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
  })
  for (const other of [
    undefined,
    '',
    traceparent.slice(1),
    `${traceparent}-x`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  ]) {
    expect(placeOfCaller(other)).toBeNull()
  }
})
