import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { Service } from '../service/service.ts'
import { presentationWith, requestWith } from '../text/request.fixture.ts'
import type { DecisionOutcome } from '#domain/deciding/waits-for.ts'
import { outcomeSentence, sendDecision } from './decide.ts'
import { showWhole } from './show-whole.ts'

interface SentRequest {
  readonly path: string
  readonly key: string | undefined
  readonly body: Record<string, unknown>
}

let server: Server | null = null
const requests: SentRequest[] = []
afterEach(async () => {
  if (server !== null) await closeServer(server)
  requests.length = 0
})

/** A service that answers with these, one after the other; `null` hangs up without an answer. */
async function answering(...answers: ({ status: number; body: string | Buffer } | null)[]) {
  const listening = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const key = request.headers['idempotency-key']
      requests.push({
        path: request.url ?? '',
        key: typeof key === 'string' ? key : undefined,
        body: JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>,
      })
      const answer = answers.shift() ?? null
      if (answer === null) request.socket.destroy()
      else response.writeHead(answer.status).end(answer.body)
    })
  })
  server = listening
  return new Service(`http://127.0.0.1:${await listenHere(listening)}`, {})
}

const done = { status: 200, body: JSON.stringify({ state: 'approved', stage: 'succeeded' }) }
const approve = { decision: 'approve', seenAll: true } as const

test('a decision whose answer got lost is sent again with the same key, and counts once', async () => {
  const service = await answering(null, done)
  await expect(sendDecision(service, requestWith(), approve)).resolves.toMatchObject({
    state: 'approved',
  })
  expect(requests).toHaveLength(2)
  expect(requests[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
  expect(requests[1]?.key).toBe(requests[0]?.key)
})

test('an approval that needs a passkey is refused at the terminal, which says where to go; a denial is sent', async () => {
  const service = await answering(done)
  const request = requestWith({ signatureRequired: true })
  await expect(sendDecision(service, request, approve)).rejects.toThrow(
    `open ${service.url.replace('127.0.0.1', 'localhost')}/requests/${request.number}`,
  )
  expect(requests).toEqual([])
  await sendDecision(service, request, { decision: 'deny', seenAll: false })
  expect(requests).toHaveLength(1)
})

test('without any answer it says that the decision may have arrived', async () => {
  const service = await answering(null, null, null)
  await expect(sendDecision(service, requestWith(), approve)).rejects.toThrow(
    /may or may not have arrived.*countersign requests show 12/,
  )
})

test('a refusal is not sent again, and says what to do', async () => {
  const body = JSON.stringify({ code: 'stale_digest', detail: 'Another digest' })
  const service = await answering({ status: 412, body })
  await expect(sendDecision(service, requestWith(), approve)).rejects.toThrow(
    'Another digest. Nothing was decided. Review it again',
  )
  expect(requests).toHaveLength(1)
})

test('an answer of another service is reported as such', async () => {
  const page = { status: 200, body: '<!doctype html>' }
  const service = await answering(page, { ...page, status: 502 })
  for (const status of [200, 502]) {
    await expect(service.call('listRuns'), `${status}`).rejects.toThrow(/is not Countersign/)
  }
})

test('a decision states that all was seen only at high risk, and only when all was printed', async () => {
  const high = requestWith({ risk: 'high' })
  const service = await answering(done, done, done)
  await sendDecision(service, high, approve)
  await sendDecision(service, high, { ...approve, seenAll: false })
  await sendDecision(service, requestWith(), approve)
  expect(requests.map(({ body }) => body['seen'])).toEqual([
    high.presentation.digest,
    undefined,
    undefined,
  ])
})

test('showing the whole of a part prints every byte, and is not whole when they are no text', async () => {
  const presentation = presentationWith('a\n', { truncated: true })
  const service = await answering(
    { status: 200, body: 'a\nb\u001b[2J\n' },
    { status: 200, body: Buffer.from([0xff, 0xfe]) },
  )
  const printed: string[] = []
  const show = () => showWhole(service, requestWith({ presentation }), (text) => printed.push(text))
  await expect(show()).resolves.toBe(true)
  expect(printed.join('\n')).toContain('│ b⟦U+001B ESC⟧[2J')
  await expect(show()).resolves.toBe(false)
  expect(printed.join('\n')).toContain('is not text')
})

test('the sentence after one of several approvals says only what is still missing', () => {
  const counted = [{ team: 'platform', person: { id: 'grace', name: 'Grace' } }]
  const missing = [{ team: 'platform', count: 1 }]
  const quorum = { text: '2 of platform', counted, missing }
  const answer = { state: 'pending', stage: null, quorum } as never
  expect(outcomeSentence(answer, 'approve', { kind: 'tool_call', batch: null })).toBe(
    'Recorded. It still needs 1 of platform.',
  )
})

test('the sentence after a decision about a program’s call names the program, and no run', () => {
  const quorum = { text: '1 of platform', missing: [] }
  const answer = { state: 'approved', stage: 'recorded', quorum } as never
  expect(outcomeSentence(answer, 'approve', { kind: 'external', batch: null })).toBe(
    'Recorded. The call can be made.',
  )
  const denied = { state: 'denied', stage: 'recorded', quorum } as never
  expect(outcomeSentence(denied, 'deny', { kind: 'external', batch: null })).toBe(
    'Recorded. The call is not made, and the program reads why.',
  )
})

test('the sentence after a decision says what Temporal, a worker and the tool have of it, in words', () => {
  const quorum = { text: '1 of platform', missing: [] }
  const sentence = (state: string, stage: string, execution: object = { state: 'not_started' }) =>
    outcomeSentence(
      { state, stage, quorum, execution } as never,
      state === 'denied' ? 'deny' : 'approve',
      { kind: 'tool_call', batch: null },
    )
  for (const state of ['approved', 'denied']) {
    expect(sentence(state, 'recorded')).toBe(
      'Recorded. The run gets the decision as soon as Temporal can be reached.',
    )
    expect(sentence(state, 'delivered')).toBe(
      'Recorded. The run has the decision, and goes on as soon as it can.',
    )
  }
  expect(sentence('approved', 'started', { state: 'started' })).toBe(
    'Recorded. It is being carried out now.',
  )
  expect(sentence('approved', 'succeeded', { state: 'succeeded', exitCode: 0 })).toBe(
    'Recorded. Carried out with exit code 0.',
  )
  expect(sentence('approved', 'refused', { state: 'refused', reason: 'stale' })).toBe(
    'Recorded. It was not carried out: the file changed after the approval, so a new request was opened.',
  )
})

test('the sentence after a decision says that the run goes on only after another call that still waits', () => {
  const execution = { state: 'not_started' }
  const quorum = { text: '1 of platform', missing: [] }
  const answer = (state: string) => ({ state, stage: 'delivered', quorum, execution }) as never
  const sentence = (decided: DecisionOutcome, position: number, state: 'pending' | 'approved') =>
    outcomeSentence(answer(decided === 'approve' ? 'approved' : 'denied'), decided, {
      kind: 'tool_call',
      batch: { position, otherRequests: 0, siblings: [{ finished: false, state }] },
    })
  expect(sentence('deny', 1, 'pending')).toBe(
    'Recorded. The run goes on after another call of its turn, which still waits for a decision.',
  )
  expect(sentence('approve', 2, 'pending')).toBe(
    'Recorded. It is carried out after an earlier call of its turn, which still waits for a decision.',
  )
  expect(sentence('stop', 2, 'approved')).toBe(
    'Recorded. The run stops and waits for a message after an earlier call of its turn.',
  )
})
