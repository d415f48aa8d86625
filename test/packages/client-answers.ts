import { closeServer, listenHere } from '../harness/listen.ts'
import { createServer, type ServerResponse } from 'node:http'

/** How a server answers: with these statuses, headers and bodies, the last one for ever. */
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /**
   * `cut`: the connection breaks after half of the body; `drip`: a byte from time to time;
   * `silent`: no answer
   */
  readonly how?: 'cut' | 'drip' | 'silent'
}

/** A case that every client passes: the answers of a server, and what becomes of a method. */
export interface AnswerCase {
  readonly name: string
  readonly method: 'ask' | 'decision' | 'find' | 'consume' | 'report'
  readonly answers: readonly Answer[]
  readonly timeoutSeconds: number
  /** the state of the request, or of its decision with its reason, or the code of the error */
  readonly result: object
  /** how many requests the server gets; absent: not told */
  readonly sent?: number
}

const request = {
  id: 'r1',
  number: 7,
  state: 'denied',
  digest: 'sha256:0',
  revision: 1,
  decisions: [
    { person: { id: 'p', name: 'Zoë' }, decision: 'deny', reason: 'nicht 🚀\u2028so', at: '' },
  ],
  cancelReason: null,
  external: { externalId: 'e1', consumed: null, outcome: null },
}
const good: Answer = { body: JSON.stringify(request) }
const page = (status: number, more: object = {}): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', ...more },
  body: '<html><h1>Please sign in</h1></html>',
})
/** The service refuses for the moment and says that it did nothing. */
const busy = (more: object = {}): Answer => ({
  status: 503,
  headers: { 'content-type': 'application/problem+json', ...more },
  body: JSON.stringify({ code: 'unavailable', detail: 'busy', nothingChanged: true }),
})
const denial = { state: 'denied' }
const decided = { state: 'denied', by: 'Zoë', reason: 'nicht 🚀\u2028so' }
const unavailable = (status: number | null) => ({ code: 'unavailable', status })
const base = { method: 'ask', timeoutSeconds: 20 } as const

export const answerCases: readonly AnswerCase[] = [
  ...[200, 404, 500].map((status) => ({
    ...base,
    name: `a page with ${status} is refused at once`,
    answers: [page(status)],
    result: unavailable(status),
    sent: 1,
  })),
  {
    ...base,
    name: 'nothing with 204 is refused at once',
    answers: [{ status: 204 }],
    result: unavailable(204),
    sent: 1,
  },
  ...[408, 429, 502, 503, 504, 522].map((status) => ({
    ...base,
    name: `a page with ${status} is passing`,
    answers: [page(status), good],
    result: denial,
    sent: 2,
  })),
  {
    ...base,
    name: 'a pause that is demanded in seconds is kept, and what changed nothing is not taken back',
    answers: [busy({ 'retry-after': '30' }), good],
    timeoutSeconds: 1.5,
    result: unavailable(null),
    sent: 1,
  },
  {
    ...base,
    name: 'a pause that is demanded by a date is kept',
    answers: [page(429, { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' }), good],
    timeoutSeconds: 1.5,
    result: unavailable(null),
    sent: 1,
  },
  {
    ...base,
    name: 'an opening without an answer is taken back, also where the one before it was refused',
    answers: [busy(), { how: 'silent' }, good],
    timeoutSeconds: 2,
    result: unavailable(null),
    sent: 4,
  },
  {
    ...base,
    name: 'an opening without an answer is taken back, also where the one after it was refused',
    answers: [{ ...good, how: 'cut' }, busy({ 'retry-after': '30' }), good],
    timeoutSeconds: 1.5,
    result: unavailable(null),
    sent: 4,
  },
  ...[408, 502, 503, 504, 524].map((status) => ({
    ...base,
    name: `an opening is taken back of which a proxy says with ${status} that it got no answer`,
    answers: [page(status, { 'retry-after': '30' }), good],
    timeoutSeconds: 1.5,
    result: unavailable(null),
    sent: 3,
  })),
  {
    ...base,
    name: 'an opening is taken back of which the service does not say that it changed nothing',
    answers: [
      { ...busy({ 'retry-after': '30' }), body: '{"code":"unavailable","detail":"away"}' },
      good,
    ],
    timeoutSeconds: 1.5,
    result: unavailable(null),
    sent: 3,
  },
  ...['0', '-5', 'soon', 'Fri, 31 Dec 1999 23:59:59 GMT'].map((pause) => ({
    ...base,
    name: `retry-after: ${pause} demands nothing`,
    answers: [{ status: 503, headers: { 'retry-after': pause } }, good],
    result: denial,
    sent: 2,
  })),
  {
    ...base,
    name: 'an answer that breaks off is asked for again',
    answers: [{ ...good, how: 'cut' }, good],
    result: denial,
    sent: 2,
  },
  {
    ...base,
    name: 'half of an answer is asked for again',
    answers: [{ body: '{"id":' }, { body: '' }, good],
    result: denial,
    sent: 3,
  },
  {
    ...base,
    name: 'a body that never ends is unavailable',
    answers: [{ ...good, how: 'drip' }],
    timeoutSeconds: 1,
    result: unavailable(null),
  },
  ...['null', '[]', '{}', '"yes"', '{"state":7}'].flatMap((body) =>
    (['ask', 'decision', 'find', 'consume'] as const).map((method) => ({
      ...base,
      method,
      name: `${body} is no answer to ${method}`,
      answers: [{ body }],
      result: unavailable(null),
      sent: 1,
    })),
  ),
  ...[301, 302, 303, 307, 308].map((status) => ({
    ...base,
    name: `${status} is not followed`,
    answers: [{ status, headers: { location: '/elsewhere' } }],
    result: unavailable(status),
    sent: 1,
  })),
  {
    ...base,
    name: 'a refusal has its code',
    method: 'report',
    answers: [{ status: 409, body: JSON.stringify({ code: 'conflict', detail: 'ü' }) }],
    result: { code: 'conflict', status: 409, message: 'ü' },
    sent: 1,
  },
  ...['{"code":5,"detail":null}', '[]', 'nonsense', ''].map((body) => ({
    ...base,
    name: `${body === '' ? 'nothing' : body} is no problem of the service`,
    answers: [{ status: 422, body }],
    result: unavailable(422),
    sent: 1,
  })),
  {
    ...base,
    method: 'decision',
    name: 'texts come as they were written',
    answers: [good],
    result: decided,
    sent: 1,
  },
  {
    ...base,
    method: 'decision',
    name: 'bytes that are no UTF-8 are replaced',
    answers: [{ body: Buffer.from(JSON.stringify(request).replace('nicht', '\u00ff'), 'latin1') }],
    result: { state: 'denied' },
    sent: 1,
  },
  {
    ...base,
    method: 'find',
    name: 'a request with another name is not found',
    answers: [{ body: JSON.stringify({ items: [{ ...request, external: null }] }) }],
    result: { state: null },
    sent: 1,
  },
]

/** A server that answers as a case says; `paths` are those of the requests that it got. */
export async function openAnswers({ answers }: AnswerCase) {
  const paths: string[] = []
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      const answer = answers[Math.min(paths.length, answers.length - 1)]
      paths.push(incoming.url ?? '')
      if (answer !== undefined) send(response, answer)
    })
  })
  return {
    url: `http://127.0.0.1:${await listenHere(server)}`,
    paths,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

function send(response: ServerResponse, { body = '', headers = {}, how, status = 200 }: Answer) {
  if (how === 'silent') return
  const bytes = Buffer.from(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  if (how === undefined) return void response.end(bytes)
  response.write(bytes.subarray(0, bytes.length / 2))
  if (how === 'cut') return void setImmediate(() => response.destroy())
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}
