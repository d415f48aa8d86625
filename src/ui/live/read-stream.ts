import type { EventSourceMessage } from 'eventsource-parser'

const loadParser = () => import('eventsource-parser/stream')
type Parser = Pick<Awaited<ReturnType<typeof loadParser>>, 'EventSourceParserStream'>
type Body = ReadableStream<Uint8Array<ArrayBuffer>>

/** A stream of server-sent events that was opened. */
export interface OpenedStream {
  readonly response: Response
  /** The events of the body, in order. A reader that stops earlier cancels the stream. */
  readonly events: (
    body: Body,
    onComment?: (comment: string) => void,
  ) => AsyncGenerator<EventSourceMessage, void, void>
}

/**
 * Opens a stream once its parser is loaded, so that no stream is requested that could not be read.
 * No page needs the parser for its first drawing. Rejects if the parser does not load, and at once
 * when `signal` aborts.
 */
export async function openStream(
  open: () => Promise<Response>,
  signal: AbortSignal,
  load: () => Promise<Parser> = loadParser,
): Promise<OpenedStream> {
  const parser = await untilAborted(load(), signal)
  const response = await open()
  return { response, events: (body, onComment) => eventsOf(parser, body, onComment) }
}

async function* eventsOf(
  { EventSourceParserStream }: Parser,
  body: Body,
  onComment: ((comment: string) => void) | undefined,
): AsyncGenerator<EventSourceMessage, void, void> {
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream(onComment === undefined ? {} : { onComment }))
    .getReader()
  try {
    for (;;) {
      const { done, value } = await events.read()
      if (done) return
      yield value
    }
  } finally {
    // A broken stream is refused here too, and has nothing left to cancel.
    events.cancel().catch(() => undefined)
  }
}

/** `import()` takes no signal, and waits without limit for a script that does not arrive. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
