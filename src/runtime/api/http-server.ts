import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#api/middleware/failure-limit.ts'
import { limits } from '#domain/limits.ts'
import { nothingChanged, Problem } from '#domain/problem.ts'
import { answerBadRequests, refuseConnection } from './refuse-connection.ts'

export interface ListeningServer {
  readonly server: Server
  readonly port: number
  /** Stops accepting connections, lets answers finish for `graceMs`, then closes the rest. */
  drain(graceMs: number): Promise<void>
}

const sweepEveryMs = 50
/** How late a connection that is over its time is closed; Node's default is 30 s. */
const checkEveryMs = 1000

/** Listen, or throw one sentence when the port is taken. */
export async function listen(
  app: RequestListener,
  { host, port, trustProxy }: { host: string; port: number; trustProxy: boolean },
): Promise<ListeningServer> {
  const serve: RequestListener = (request, response) => {
    // A refused connection is still read, but its client was told that nothing is carried out.
    if (!request.socket.writableEnded) app(request, response)
  }
  const server = createServer({ connectionsCheckingInterval: checkEveryMs }, serve)
  // All connections through a proxy have its address, so the proxy must bound them.
  if (!trustProxy) boundConnections(server, limits.connectionsOfAddress)
  answerBadRequests(server)
  // Bodies may be large and lines slow, but no connection may stay open for nothing.
  server.requestTimeout = 120_000
  server.headersTimeout = 20_000
  // Longer than proxies and clients keep an idle connection (60 s), so that no connection is closed
  // while they use it again.
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `port ${port} on ${host} is taken by another program: end it, or set PORT to another one`,
              { cause: error },
            )
          : error,
      )
    })
    server.listen({ host, port }, resolve)
  })
  const address = server.address()
  return {
    server,
    port: typeof address === 'object' && address !== null ? address.port : port,
    drain: (graceMs) => drain(server, graceMs),
  }
}

/**
 * Refuses connections of one address (IPv6: one network) beyond a number, with a sentence, before a
 * request. One that comes after that is not carried out (`listen`).
 */
export function boundConnections(server: Server, maxPerAddress: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const remaining = (open.get(address) ?? 1) - 1
      if (remaining === 0) open.delete(address)
      else open.set(address, remaining)
    })
    if (count > maxPerAddress) refuseConnection(socket, tooMany)
  })
}

const tooMany = new Problem(
  'unavailable',
  'This address has too many connections open: close some, or use them again',
  { retryAfterSeconds: 5, ...nothingChanged },
)

function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    // Closes each connection after its present answer, even if its client would keep it open.
    const sweep = setInterval(() => server.closeIdleConnections(), sweepEveryMs)
    server.close(() => {
      clearTimeout(cut)
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}
