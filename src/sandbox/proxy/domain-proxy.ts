import { createServer, type IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { forward } from './forward.ts'
import { type ProxyHost, TargetRefused } from './judge-target.ts'
import { ProxyConnections } from './proxy-connections.ts'
import { ProxyRefusals, malformed } from './proxy-refusals.ts'

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
