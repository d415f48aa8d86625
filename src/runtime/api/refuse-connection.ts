import { ServerResponse, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { newId } from '#domain/new-id.ts'
import { problemBody } from '#api/middleware/answer-problem.ts'
import { Problem } from '#domain/problem.ts'

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/** How long a client has to read why it was refused, and to close its side of the connection. */
const lingerMs = 2000

/**
 * Writes a problem to a connection that has no request, and closes it. A client that does not close
 * its side would keep the connection, and its place among those of its address, for ever.
 */
export function refuseConnection(socket: Duplex, problem: Problem): void {
  const requestId = newId()
  const body = JSON.stringify(problemBody(problem, requestId))
  const { retryAfterSeconds } = problem.facts
  const lines = [
    `HTTP/1.1 ${problem.status} ${reasons[problem.status] ?? ''}`,
    'connection: close',
    ...(typeof retryAfterSeconds !== 'number' ? [] : [`retry-after: ${retryAfterSeconds}`]),
    'content-type: application/problem+json; charset=utf-8',
    'cache-control: no-store',
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ]
  socket.end(lines.join('\r\n'))
  const linger = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(linger))
}

/** Answers what is not HTTP, and what takes too long, with problem details as every refusal. */
export function answerBadRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const answer = '_httpMessage' in socket ? socket._httpMessage : null
    if (answer instanceof ServerResponse) {
      // A part of another answer was sent: this one would be read as its body.
      if (answer.headersSent) return void socket.destroy()
      // A complete request is being carried out: this refusal would be read as its answer.
      if (answer.req.complete) return closeAfter(answer, socket)
      // The rest of its body would have it carried out after this refusal. Whoever begins to read
      // the request only now resumes the connection.
      socket.on('resume', () => socket.pause())
      socket.pause()
    }
    refuseConnection(socket, problemOf(error.code))
  })
  server.on('checkExpectation', (_request, response) => {
    const problem = invalid(417, 'The only expectation that is understood is 100-continue')
    if (response.socket !== null) refuseConnection(response.socket, problem)
  })
}

/** Reads nothing more of a connection, and closes it with the answer to its last whole request. */
function closeAfter(answer: ServerResponse, socket: Duplex): void {
  answer.shouldKeepAlive = false
  socket.pause()
}

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('too_large', 'The path and headers are over 16 KiB', {}, { status: 431 })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return invalid(408, 'The request did not arrive in time')
    default:
      return invalid(400, 'This is not a valid HTTP/1.1 request')
  }
}

function invalid(status: number, sentence: string): Problem {
  return new Problem('invalid_request', sentence, {}, { status })
}
