import { writeSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { FromWatch, ToWatch, WatchSetup } from './loop-turns.ts'

/** Runs in a thread beside the loop that it watches (loop-turns.ts). */
const { turns, lateMs, wedgedMs, address } = workerData as WatchSetup
const count = new Int32Array(turns)
const lookEveryMs = 250
const pageWithinMs = 5_000

let lastCount = 0
/** Counted in checks, not by the clock: while a machine sleeps nothing is watched. */
let silentMs = 0

setInterval(() => {
  const now = Atomics.load(count, 0)
  silentMs = now === lastCount ? silentMs + lookEveryMs : 0
  lastCount = now
  if (silentMs < wedgedMs) return
  const sentence = `the event loop has been blocked for ${wedgedMs / 1000} s: the process ends, to be started again`
  // Written directly to the descriptor: a thread's own streams need the loop that is blocked.
  writeSync(2, `${JSON.stringify({ level: 60, msg: sentence })}\n`)
  process.kill(process.pid, 'SIGKILL')
}, lookEveryMs)

const pending = new Map<number, ServerResponse>()
let requestCount = 0

const server = createServer((request, response) => {
  const reads = /^(GET|HEAD)$/.test(request.method ?? '')
  if (reads && request.url === '/readyz') return ready(response)
  if (reads && request.url === '/metrics') return metrics(response)
  response.writeHead(404, { 'content-type': 'text/plain' })
  response.end('There are only GET /metrics and GET /readyz\n')
})

function ready(response: ServerResponse): void {
  const turnsNow = silentMs < lateMs
  const problems = turnsNow ? [] : [`The event loop has been blocked for ${silentMs / 1000} s.`]
  response.writeHead(turnsNow ? 200 : 503, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify({ ready: turnsNow, loop: { silentMs }, problems })}\n`)
}

/** The watched event loop has the figures. It gets a limited time to return them. */
function metrics(response: ServerResponse): void {
  const ask = (requestCount += 1)
  pending.set(ask, response)
  send({ ask })
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

function send(message: FromWatch): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}

if (address === null) send({ serves: null })
else {
  const { host, port } = address
  const problem = `metrics cannot be served on ${host}:${port}: set COUNTERSIGN_WORKER_METRICS to a free port of this host`
  server.once('error', () => send({ problem }))
  server.listen({ host, port }, () => send({ serves: (server.address() as AddressInfo).port }))
}
