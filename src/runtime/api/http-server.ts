import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'

export type Listening = {
  server: Server
  port: number
  /** Stop taking connections, let answers under way finish for `graceMs`, then cut what is left. */
  drain(graceMs: number): Promise<void>
}

const sweepEveryMs = 50

/** Listen, or throw one sentence when the port is taken. */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const server = createServer(app)
  // Bodies may be large and lines slow, but nobody may hold a connection open for nothing.
  server.requestTimeout = 120_000
  server.headersTimeout = 20_000
  // Longer than proxies and clients keep an idle connection (60 s), lest we close one that they are just using again.
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${port} on ${host} is taken by another program`, { cause: error })
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

function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    // A connection that is kept ends behind the answer under way on it, and not when its client tires of it.
    const sweep = setInterval(() => server.closeIdleConnections(), sweepEveryMs)
    server.close(() => {
      clearTimeout(cut)
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}
