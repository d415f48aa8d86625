import { createServer, type IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { forward } from './forward.ts'
import type { ProxyHost } from './judge-target.ts'
import { ProxyConnections } from './proxy-connections.ts'
import { ProxyRefusals } from './proxy-refusals.ts'
import { tunnel } from './tunnel.ts'

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
