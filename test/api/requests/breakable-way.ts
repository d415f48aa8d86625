import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeServer, listenHere } from '../../harness/listen.ts'

/** What becomes of a request: the service answers, but the answer is lost, or it is busy. */
export type Fate = 'answer lost' | 'busy'

/** A way to a service that can be away, or refuse every key. */
export interface BreakableWay extends AsyncDisposable {
  readonly url: string
  /** paths that were requested through it */
  readonly paths: readonly string[]
  /** Ends every connection; new ones end too. */
  break(): void
  /** Answers `/v1` with this status. */
  refuse(status: number): void
  mend(): void
  /**
   * Holds the next `POST /v1/requests`, or its answer, until the result is called. That resolves
   * when the service has answered, or when the sender has gone before an answer could be held. A
   * message arrives late even if its sender has gone.
   */
  hold(what: 'message' | 'answer'): () => Promise<void>
  /** The next requests for paths with this end have these fates. */
  fail(pathEnd: string, fates: readonly Fate[]): void
}

/** @example await using way = await openBreakableWay(api.url) */
export async function openBreakableWay(target: string): Promise<BreakableWay> {
  let state: 'open' | 'away' | number = 'open'
  const paths: string[] = []
  let failing: { readonly pathEnd: string; readonly fates: Fate[] } = { pathEnd: '', fates: [] }
  let held: { what: 'message' | 'answer'; until: Promise<void>; arrive: () => void } | null = null
  const server = createServer((request, response) => {
    void (async () => {
      const { headers, method = 'GET', url = '/' } = request
      if (state === 'away') return response.destroy()
      paths.push(url)
      if (typeof state === 'number' && url.startsWith('/v1')) {
        return response.writeHead(state, { 'content-type': 'application/json' }).end('{}')
      }
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      const body = await buffer(request)
      const isOpening = method === 'POST' && url === '/v1/requests'
      const hold = isOpening ? held : null
      if (isOpening) held = null
      if (hold?.what === 'message') await hold.until
      const fate = url.endsWith(failing.pathEnd) ? failing.fates.shift() : undefined
      if (fate === 'busy') return response.writeHead(503).end('{}')
      const { authorization = '', 'content-type': type = '' } = headers
      const answer = await fetch(new URL(url, target), {
        method,
        headers: { authorization, ...(type === '' ? {} : { 'content-type': type }) },
        ...(body.length === 0 ? {} : { body }),
        ...(hold?.what === 'message' ? {} : { signal: gone.signal }),
      }).finally(() => hold?.arrive())
      if (hold?.what === 'answer') await hold.until
      if (fate === 'answer lost') return response.destroy()
      const contentType = answer.headers.get('content-type') ?? ''
      return response
        .writeHead(answer.status, { 'content-type': contentType })
        .end(Buffer.from(await answer.arrayBuffer()))
    })().catch(() => response.destroy())
  })
  return {
    url: `http://127.0.0.1:${await listenHere(server)}`,
    paths,
    break() {
      state = 'away'
      server.closeAllConnections()
    },
    refuse(status) {
      state = status
    },
    mend() {
      state = 'open'
    },
    hold(what) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const arrived = Promise.withResolvers<void>()
      held = { what, until: promise, arrive: arrived.resolve }
      return () => {
        resolve()
        return arrived.promise
      }
    },
    fail(pathEnd, fates) {
      failing = { pathEnd, fates: [...fates] }
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}
