import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ProxyHost, TargetRefused } from './judge-target.ts'
import { ProxyConnections } from './proxy-connections.ts'
import { ProxyRefusals, malformed } from './proxy-refusals.ts'

/** Answers a plain HTTP request with what the host of its address answers. */
async function forward(
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

/** A proxy that leads to listed domains only. */
export interface DomainProxy {
  /** answers connections of a server that already listens */
  serve(server: Server): void
  /** what was refused, each sentence once, in order */
  refusals(): readonly string[]
  /** ends every connection */
  close(): void
}

const maxConnections = 128

/**
 * An HTTP proxy for the commands of one sandbox: `CONNECT` and plain HTTP, only to the domains in
 * `entries`. It resolves names itself. Every refusal is an answer 403 with a line that says why.
 */
export function createDomainProxy(entries: readonly string[], host: ProxyHost): DomainProxy {
  const connections = new ProxyConnections(entries, host)
  const refusals = new ProxyRefusals()
  const proxy = { connections, refusals }
  const http = createServer({
    maxHeaderSize: 32 * 1024,
    requestTimeout: 0,
    requireHostHeader: false,
  })
  http.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void tunnel(proxy, request.url ?? '', connections.hold(socket), head)
  })
  http.on('request', (request, answer) => void forward(proxy, request, answer))
  http.on('clientError', (_, socket) => socket.destroy())
  return {
    serve(server) {
      server.maxConnections = maxConnections
      server.on('connection', (socket: Socket) => http.emit('connection', connections.hold(socket)))
    },
    refusals: () => refusals.list(),
    close: () => connections.close(),
  }
}

const authority = /^(?<host>\[[0-9a-f:.]+\]|[^\s:@/[\]]+):(?<port>[0-9]{1,5})$/i

/** Answers a request `CONNECT`: joins the client's connection to one to the host that it names. */
async function tunnel(
  { connections, refusals }: { connections: ProxyConnections; refusals: ProxyRefusals },
  url: string,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  try {
    const { host, port } = authority.exec(url)?.groups ?? {}
    if (host === undefined || port === undefined) throw new TargetRefused(malformed)
    const upstream = await connections.reach({ host, port: Number(port) })
    if (socket.destroyed) return void upstream.destroy()
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    socket.once('close', () => upstream.destroy())
    upstream.once('close', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  } catch (error) {
    const { status, body } = refusals.answerTo(error)
    socket.end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  }
}
