import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { TargetRefused } from './judge-target.ts'
import type { ProxyConnections } from './proxy-connections.ts'
import { malformed, type ProxyRefusals } from './proxy-refusals.ts'

/** Answers a plain HTTP request with what the host of its address answers. */
export async function forward(
  { connections, refusals }: { connections: ProxyConnections; refusals: ProxyRefusals },
  incoming: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  try {
    const url = URL.parse(incoming.url ?? '')
    const isPlain = url?.protocol === 'http:' && url.username === '' && url.password === ''
    if (url === null || !isPlain) throw new TargetRefused(malformed)
    const port = url.port === '' ? 80 : Number(url.port)
    const upstream = await connections.reach({ host: url.hostname, port })
    if (answer.destroyed) return void upstream.destroy()
    const sent = request({
      createConnection: () => upstream,
      method: incoming.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      // The judged host is sent to the server: a header cannot name another one.
      headers: { ...forwardedHeaders(incoming), host: url.host },
      setHost: false,
    })
    sent.once('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, forwardedHeaders(response))
      response.pipe(answer)
    })
    sent.once('error', (error) => refuse(refusals, answer, error))
    answer.once('close', () => upstream.destroy())
    incoming.pipe(sent)
  } catch (error) {
    refuse(refusals, answer, error)
  }
}

function refuse(refusals: ProxyRefusals, answer: ServerResponse, error: unknown): void {
  if (answer.headersSent) return void answer.destroy()
  const { status, body } = refusals.answerTo(error)
  answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  answer.end(body)
}

/** Headers that belong to one connection and not to the message (RFC 9110, 7.6.1). */
const ofConnection = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

function forwardedHeaders(message: IncomingMessage): Record<string, string | string[]> {
  const named = (message.headers.connection ?? '').toLowerCase().split(',')
  const omittedNames = new Set([...ofConnection, ...named.map((name) => name.trim())])
  // The framing of the body must not be dropped: the rest would be read as a request.
  omittedNames.delete('transfer-encoding')
  omittedNames.delete('content-length')
  return Object.fromEntries(
    Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
      omittedNames.has(name) ? [] : [[name, values.length === 1 ? (values[0] ?? '') : values]],
    ),
  )
}
