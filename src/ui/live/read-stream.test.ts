import { expect, test } from 'vitest'
import { openStream } from './read-stream.ts'

const never = () => new Promise<never>(() => {})
const parser = () => import('eventsource-parser/stream')
const { signal: unaborted } = new AbortController()

/** A body of two events that stays open, and whether somebody cancelled it. */
function openBody() {
  const state = { isCancelled: false }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (sink) => sink.enqueue(new TextEncoder().encode('data: one\n\ndata: two\n\n')),
    cancel: () => {
      state.isCancelled = true
    },
  })
  return { body, state }
}

test('without its parser a stream is not requested', async () => {
  let requests = 0
  const open = () => {
    requests += 1
    return Promise.resolve(new Response())
  }
  const lost = () => Promise.reject(new Error('The script did not load'))
  await expect(openStream(open, unaborted, lost)).rejects.toThrow('The script did not load')
  expect(requests).toBe(0)
  await openStream(open, unaborted, parser)
  expect(requests).toBe(1)
})

test('a stream whose parser does not come ends when it is aborted, before or while it loads', async () => {
  const stop = new AbortController()
  const opening = openStream(never, stop.signal, never)
  stop.abort(new Error('silent'))
  await expect(opening).rejects.toThrow('silent')
  await expect(openStream(never, stop.signal, never)).rejects.toThrow('silent')
})

test('whoever stops reading the events of a stream ends the stream', async () => {
  const { body, state } = openBody()
  const { events } = await openStream(() => Promise.resolve(new Response()), unaborted, parser)
  for await (const { data } of events(body)) {
    expect(data).toBe('one')
    break
  }
  await expect.poll(() => state.isCancelled).toBe(true)
})
