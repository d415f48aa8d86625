import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Page } from './pages.ts'

export interface ChatSettings {
  /** of the Countersign service */
  readonly url: string
  /** of a key with the scopes `runs:write` and `runs:read`; the page never sees it */
  readonly apiKey: string
  /** whose runs are started */
  readonly worker: string
  readonly pages: ReadonlyMap<string, Page>
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const reading = new RegExp(`^/api/runs/(${uuid})(/transcript)?$`)
const streaming = new RegExp(`^/api/chat/(${uuid})/stream$`)
const posting = new RegExp(`^/api/runs/(${uuid})/messages$`)

/**
 * What `useChat` asks for, asked of Countersign with the key: `POST /api/chat` posts a message and
 * answers with the run's stream, `GET /api/chat/ID/stream` goes on with it.
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
      // A page that has left ends what it was read from.
      if (!response.destroyed) console.error(error)
      if (!response.headersSent) response.writeHead(502)
      response.end()
    })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    if (request.method === 'GET') {
      const page = pages.get(pathname)
      if (page !== undefined) {
        response.writeHead(200, { 'content-type': page.type }).end(page.bytes)
        return
      }
      const [, read, part = ''] = reading.exec(pathname) ?? []
      if (read !== undefined) return pass(await ask(`/v1/runs/${read}${part}`), response)
      const [, run] = streaming.exec(pathname) ?? []
      if (run !== undefined) return stream(run, response, gone.signal)
      return refuse(response, 404, 'There is no such page')
    }
    // A page of another site cannot send JSON here unasked.
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json') {
      return refuse(response, 415, 'Post JSON')
    }
    const body = (await json(request)) as ChatBody
    if (pathname === '/api/runs') {
      const started = await post('/v1/runs', { worker, input: body.text, conversation: true })
      return pass(started, response)
    }
    const [, queued] = posting.exec(pathname) ?? []
    if (queued !== undefined) {
      return pass(await post(`/v1/runs/${queued}/messages`, { text: body.text }), response)
    }
    const run = String(body.id)
    if (pathname !== '/api/chat' || !new RegExp(`^${uuid}$`).test(run)) {
      return refuse(response, 404, 'There is no such page')
    }
    const parts = body.messages?.at(-1)?.parts ?? []
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const posted = await post(`/v1/runs/${run}/messages`, { text })
    if (!posted.ok) return pass(posted, response)
    return stream(run, response, gone.signal)
  }

  async function stream(run: string, response: ServerResponse, signal: AbortSignal): Promise<void> {
    return pass(await ask(`/v1/runs/${run}/stream`, { signal }), response)
  }
}

/** What the page sends: a task or message, or what `useChat` sends. */
interface ChatBody {
  readonly text?: string
  readonly id?: string
  readonly messages?: readonly {
    readonly parts?: readonly { readonly type: string; readonly text?: string }[]
  }[]
}

/** Passes an answer on as it comes, and ends with the page when that leaves. */
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
