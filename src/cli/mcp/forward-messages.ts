import { parseObject } from '#domain/json/parse-json.ts'
import type { Readable, Writable } from 'node:stream'
import { createParser } from 'eventsource-parser'
import {
  cancelledId,
  errorAnswer,
  headersOf,
  idOf,
  messagesOf,
  type ReceivedMessage,
} from './message.ts'

/** The address of a server at the gateway, and the key for it. */
export interface GatewayAddress {
  readonly url: URL
  readonly apiKey: string
}

/**
 * Passes every message of an agent from standard input to the gateway, and every answer back, until
 * the agent closes its input. Messages are passed on as they were written: the gateway refuses
 * numbers and keys that would be others once parsed. If an answer does not arrive, the agent gets
 * an error, so that it does not wait forever.
 */
export async function forwardMessages(
  gateway: GatewayAddress,
  input: Readable,
  output: Writable,
): Promise<void> {
  const open = new Map<string, AbortController>()
  const under: Promise<void>[] = []
  const write = (message: object): void => void output.write(`${JSON.stringify(message)}\n`)
  for await (const received of messagesOf(input, write)) {
    const { message } = received
    const cancelId = cancelledId(message)
    if (cancelId !== null) open.get(cancelId)?.abort()
    const id = idOf(message)
    const stop = new AbortController()
    if (id !== null) open.set(id, stop)
    const answering = answerOf(gateway, received, { write, signal: stop.signal })
      .catch((error: unknown) => {
        if (id === null || stop.signal.aborted) return
        write(errorAnswer(message['id'], [-32603, sentenceOf(error)]))
      })
      .finally(() => {
        if (id !== null) open.delete(id)
      })
    under.push(answering)
  }
  for (const stop of open.values()) stop.abort()
  await Promise.allSettled(under)
}

async function answerOf(
  { url, apiKey }: GatewayAddress,
  { message, line }: ReceivedMessage,
  { write, signal }: { write: (message: object) => void; signal: AbortSignal },
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${apiKey}`,
      ...headersOf(message),
    },
    body: line,
    redirect: 'error',
    signal,
  })
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) {
    return passEvents(response.body, write)
  }
  const answer = parseObject(await response.text()) ?? {}
  if ('jsonrpc' in answer) return write(answer)
  const { detail } = answer
  throw new Error(
    typeof detail === 'string'
      ? detail
      : `the service answered with status ${response.status} and no message`,
  )
}

async function passEvents(
  body: ReadableStream<Uint8Array>,
  write: (message: object) => void,
): Promise<void> {
  let isAnswered = false
  const parser = createParser({
    onEvent: ({ data }) => {
      const message = parseObject(data)
      if (message === null) return
      isAnswered ||= 'result' in message || 'error' in message
      write(message)
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    // Reads no further: if the events broke off later, the agent would also get an error.
    if (isAnswered) return
  }
  throw new Error(noAnswer)
}

const noAnswer = 'no service answers. Whether the call was made is not known: call again unchanged.'

/** `fetch` has these messages if no answer comes, or only a part of one. */
function sentenceOf(error: unknown): string {
  const { message } = error as Error
  return message === 'fetch failed' || message === 'terminated' ? noAnswer : message
}
