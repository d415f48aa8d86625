/** The stream of an answer ended without it. */
export class BrokenAnswer extends Error {}

/** How often a broken stream is resumed without a new event in between. */
const maxResumes = 3

/**
 * `fetch` for streamable HTTP: a stream that ends before its answer is resumed after its last
 * event, as the protocol says. If it cannot be resumed, the result is an error. The AI SDK's client
 * would wait for ever.
 */
export async function resumingFetch(...args: Parameters<typeof fetch>): Promise<Response> {
  const [address, init] = args
  const response = await boundedFetch(address, init)
  const kind = response.headers.get('content-type') ?? ''
  const awaited = idOf(init?.body)
  if (response.body === null || awaited === null || !kind.includes('text/event-stream')) {
    return response
  }
  const resume = async (lastEvent: string): Promise<ReadableStream<Uint8Array> | null> => {
    const headers = new Headers(init?.headers)
    const session = response.headers.get('mcp-session-id')
    if (session !== null) headers.set('mcp-session-id', session)
    headers.delete('content-type')
    headers.set('accept', 'text/event-stream')
    headers.set('last-event-id', lastEvent)
    const { redirect = 'error', signal = null } = init ?? {}
    const again = await boundedFetch(address, { method: 'GET', headers, redirect, signal })
    return again.ok ? again.body : null
  }
  const { status, statusText, headers } = response
  const body = ReadableStream.from(readAnswer(response.body, awaited, resume))
  return new Response(body, { status, statusText, headers })
}

async function* readAnswer(
  first: ReadableStream<Uint8Array>,
  awaited: string,
  resume: (lastEvent: string) => Promise<ReadableStream<Uint8Array> | null>,
): AsyncGenerator<Uint8Array> {
  const received = new ReceivedEvents(awaited)
  let body: ReadableStream<Uint8Array> | null = first
  let idle = 0
  while (body !== null) {
    const before = received.lastEvent
    try {
      for await (const chunk of body) {
        received.take(chunk)
        yield chunk
      }
    } catch (error) {
      if (error instanceof BrokenAnswer) throw error
      if (received.lastEvent === null) {
        throw new BrokenAnswer(`its answer broke off (${String(error)})`, { cause: error })
      }
    }
    if (received.isAnswered) return
    idle = received.lastEvent === before ? idle + 1 : 0
    if (received.lastEvent === null || idle > maxResumes) break
    // Ends an incomplete event: the resumed stream begins with a complete one.
    yield new TextEncoder().encode('\n\n')
    received.cutOff()
    body = await resume(received.lastEvent)
  }
  throw new BrokenAnswer('its answer broke off')
}

/** The complete events of a stream: the last id, and whether the answer was among them. */
class ReceivedEvents {
  lastEvent: string | null = null
  isAnswered = false
  readonly #awaited: string
  readonly #decoder = new TextDecoder()
  #rest = ''
  #event: { id: string | null; readonly data: string[] } = { id: null, data: [] }

  constructor(awaited: string) {
    this.#awaited = awaited
  }

  take(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n')
    // A line may have megabytes: it is split once it is complete, not with each chunk.
    if (end < 0) {
      this.#rest += text
      return
    }
    const lines = `${this.#rest}${text.slice(0, end)}`.split('\n')
    this.#rest = text.slice(end + 1)
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line)
  }

  /** Drops an incomplete event. */
  cutOff(): void {
    this.#rest = ''
    this.#event = { id: null, data: [] }
  }

  #line(line: string): void {
    if (line.startsWith('id:')) this.#event.id = line.slice(3).trim()
    else if (line.startsWith('data:')) this.#event.data.push(line.slice(5))
    else if (line === '') {
      const { id, data } = this.#event
      if (id !== null) this.lastEvent = id
      if (idOf(data.join('\n'), true) === this.#awaited) this.isAnswered = true
      this.#event = { id: null, data: [] }
    }
  }
}

/** The id of a request, or of an answer, as JSON; `null` when it is neither. */
function idOf(text: unknown, answer = false): string | null {
  if (typeof text !== 'string') return null
  try {
    const message = JSON.parse(text) as { id?: unknown; result?: unknown; error?: unknown }
    if (message.id === undefined) return null
    if (answer && message.result === undefined && message.error === undefined) return null
    return JSON.stringify(message.id)
  } catch {
    return null
  }
}

/** The most bytes of an answer. */
const maxAnswerBytes = 64 * 1024 * 1024

/** `fetch` whose answers end with an error beyond the bound. */
async function boundedFetch(...args: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...args)
  if (response.body === null) return response
  let bytes = 0
  const boundedBody = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes <= maxAnswerBytes) controller.enqueue(chunk)
        else controller.error(new BrokenAnswer(`its answer has more than ${maxAnswerBytes} bytes`))
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(boundedBody, { status, statusText, headers })
}
