import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Page } from './pages.ts'

export interface ChatSettings {
  /** the address of the Countersign service */
  readonly url: string
  /** an API key with the scopes `runs:write` and `runs:read`; the page never sees it */
  readonly apiKey: string
  /** the worker whose runs this server starts */
  readonly worker: string
  readonly pages: ReadonlyMap<string, Page>
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const reading = new RegExp(`^/api/runs/(${uuid})(/transcript)?$`)
const streaming = new RegExp(`^/api/chat/(${uuid})/stream$`)
const posting = new RegExp(`^/api/runs/(${uuid})/messages$`)

/**
 * Serves the page and the requests of its `useChat`, which it forwards to Countersign with the API
 * key. `POST /api/chat` posts a message and answers with the stream of the run;
 * `GET /api/chat/ID/stream` resumes that stream.
 */
export function chatHandler(settings: ChatSettings): RequestListener {
  const { apiKey, worker, pages } = settings
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, settings.url), {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    })
  const post = (path: string, body: unknown): Promise<Response> =>
    ask(path, { method: 'POST', body: JSON.stringify(body) })

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // If the page has closed the connection, the forwarded request was aborted: that is no error.
      if (!response.destroyed) console.error(error)
      if (!response.headersSent) response.writeHead(502)
      response.end()
    })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const closing = new AbortController()
    response.on('close', () => closing.abort())
    if (request.method === 'GET') {
      const page = pages.get(pathname)
      if (page !== undefined) {
        response.writeHead(200, { 'content-type': page.type }).end(page.bytes)
        return
      }
      const [, read, part = ''] = reading.exec(pathname) ?? []
      if (read !== undefined) return pass(await ask(`/v1/runs/${read}${part}`), response)
      const [, run] = streaming.exec(pathname) ?? []
      if (run !== undefined) return stream(run, response, closing.signal)
      return refuse(response, 404, 'There is no such page')
    }
    // A page of another site cannot send JSON without a preflight request, which this server
    // refuses.
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json') {
      return refuse(response, 415, 'Post JSON')
    }
    const body = (await json(request)) as ChatBody
    if (pathname === '/api/runs') {
      const run = await post('/v1/runs', { worker, input: body.text, conversation: true })
      return pass(run, response)
    }
    const [, runId] = posting.exec(pathname) ?? []
    if (runId !== undefined) {
      return pass(await post(`/v1/runs/${runId}/messages`, { text: body.text }), response)
    }
    const run = String(body.id)
    if (pathname !== '/api/chat' || !new RegExp(`^${uuid}$`).test(run)) {
      return refuse(response, 404, 'There is no such page')
    }
    const parts = body.messages?.at(-1)?.parts ?? []
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const postAnswer = await post(`/v1/runs/${run}/messages`, { text })
    if (!postAnswer.ok) return pass(postAnswer, response)
    return stream(run, response, closing.signal)
  }

  async function stream(run: string, response: ServerResponse, signal: AbortSignal): Promise<void> {
    return pass(await ask(`/v1/runs/${run}/stream`, { signal }), response)
  }
}

/**
 * The body of a request of the page: a task or message (`text`), or the body that `useChat` sends.
 */
interface ChatBody {
  readonly text?: string
  readonly id?: string
  readonly messages?: readonly {
    readonly parts?: readonly { readonly type: string; readonly text?: string }[]
  }[]
}

/** Streams an answer to the page, until the answer ends or the page closes the connection. */
async function pass(from: Response, to: ServerResponse): Promise<void> {
  const type = from.headers.get('content-type')
  to.writeHead(from.status, type === null ? {} : { 'content-type': type })
  if (from.body === null) return void to.end()
  to.flushHeaders()
  const reader = from.body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (to.destroyed) return reader.cancel()
    if (!to.write(next.value)) await Promise.race([once(to, 'drain'), once(to, 'close')])
  }
  to.end()
}

function refuse(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }))
}
