import { closeServer, listenHere } from './listen.ts'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** A notification as it arrived. */
export interface ReceivedNotification {
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly body: string
}

/**
 * A real HTTP server that receives notifications, stores them and answers as the test says.
 */
export interface WebhookReceiver extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly received: ReceivedNotification[]
  /**
   * how it answers from now on: with a status, or with a function; a function that never answers
   * hangs
   */
  answer: number | ((response: ServerResponse, received: ReceivedNotification) => void)
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const got = { headers: request.headers, path: request.url ?? '', body }
      receiver.received.push(got)
      const { answer } = receiver
      if (typeof answer === 'number') response.writeHead(answer).end()
      else answer(response, got)
    })
  })
  const port = await listenHere(server)
  const receiver: WebhookReceiver = {
    port,
    url: `http://127.0.0.1:${port}/hook?for=us`,
    received: [],
    answer: 204,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  return receiver
}
