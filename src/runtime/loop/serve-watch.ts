import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'
import type { MetricsAddress } from '../metrics/serve-metrics.ts'
import type { ToWatch } from './loop-turns.ts'
import { sendFromWatch } from './send-from-watch.ts'

const pageWithinMs = 5_000

/** What the watch knows of the loop. */
export interface LoopState {
  /** after this time it is not ready */
  readonly lateMs: number
  readonly silentMs: () => number
}

/**
 * Serves `/readyz` and `/metrics` from the watching thread. Reports to the watched thread on which
 * port it serves, or why it cannot.
 */
export function serveWatch({ host, port }: MetricsAddress, loop: LoopState): void {
  const pending = new Map<number, ServerResponse>()
  let requestCount = 0
  const server = createServer((request, response) => {
    const reads = /^(GET|HEAD)$/.test(request.method ?? '')
    if (reads && request.url === '/readyz') return sendReadiness(response, loop)
    if (reads && request.url === '/metrics') return askForMetrics(response)
    response.writeHead(404, { 'content-type': 'text/plain' })
    response.end('There are only GET /metrics and GET /readyz\n')
  })

  /** The watched event loop has the figures. It gets a limited time to return them. */
  function askForMetrics(response: ServerResponse): void {
    const ask = (requestCount += 1)
    pending.set(ask, response)
    sendFromWatch({ ask })
    setTimeout(() => {
      if (!pending.delete(ask)) return
      response.writeHead(503, { 'content-type': 'text/plain' })
      response.end('The event loop does not answer\n')
    }, pageWithinMs).unref()
  }

  parentPort?.on('message', ({ answer, text, type }: ToWatch) => {
    const response = pending.get(answer)
    pending.delete(answer)
    response?.writeHead(text === '' ? 500 : 200, { 'content-type': type }).end(text)
  })
  const problem = `metrics cannot be served on ${host}:${port}: set COUNTERSIGN_WORKER_METRICS to a free port of this host`
  server.once('error', () => sendFromWatch({ problem }))
  server.listen({ host, port }, () =>
    sendFromWatch({ serves: (server.address() as AddressInfo).port }),
  )
}

function sendReadiness(response: ServerResponse, { lateMs, silentMs }: LoopState): void {
  const turnsNow = silentMs() < lateMs
  const problems = turnsNow ? [] : [`The event loop has been blocked for ${silentMs() / 1000} s.`]
  response.writeHead(turnsNow ? 200 : 503, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify({ ready: turnsNow, loop: { silentMs: silentMs() }, problems })}\n`)
}
