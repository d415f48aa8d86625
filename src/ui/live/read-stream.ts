import type { EventSourceMessage } from 'eventsource-parser'

/**
 * The events of a body of server-sent events, in order, until it ends. The parser is loaded here,
 * because no page needs it to be drawn. If it does not load, this rejects as for a broken stream.
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onComment?: (comment: string) => void,
): AsyncGenerator<EventSourceMessage, void, void> {
  const { EventSourceParserStream } = await import('eventsource-parser/stream')
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream(onComment === undefined ? {} : { onComment }))
    .getReader()
  for (;;) {
    const { done, value } = await events.read()
    if (done) return
    yield value
  }
}
