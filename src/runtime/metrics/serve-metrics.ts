import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MetricsPage } from '#api/context/api.ts'

/** The address of metrics for a collector without session or key. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/**
 * Serves `GET /metrics` on a separate listener without authentication, for the collector on this
 * machine or network; the figures contain neither ids nor arguments. Throws one sentence when the
 * port is taken.
 */
export async function serveMetrics(
  page: MetricsPage,
  { host, port }: MetricsAddress,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((request, response) => {
    const isMetricsRequest = request.url === '/metrics' && /^(GET|HEAD)$/.test(request.method ?? '')
    if (!isMetricsRequest) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is only GET /metrics\n')
      return
    }
    page.text().then(
      (text) => response.writeHead(200, { 'content-type': page.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new Error(
          `metrics cannot be served on ${host}:${port}: set COUNTERSIGN_METRICS to a free port of this host`,
          { cause: error },
        ),
      ),
    )
    server.listen({ host, port }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => close(server),
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
