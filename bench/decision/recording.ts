import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { TestSession } from '#test/harness/installation/test-session.ts'
import { inParallel, monotonicMs, percentiles, rest, round } from '../figures.ts'
import { type ApprovableRequest, approveMany, type Ours } from './ours.ts'

/** Requests that each round decides; a bulk call takes at most 200. */
const requests = 200
const callers = 16
const aloneDecisions = 60
/** The calls that decide 200 each. The first one warms up and is not counted. */
const bulkCalls = 6
/** Longer than workflows take to begin or to end once Temporal's server has been told. */
const restMs = 2000

/**
 * Measures the recording of decisions without an execution: requests of a program, decided one at a
 * time, one by one by 16 callers, and 200 in one call. The floor is a bare transaction that inserts
 * one row in the same Postgres. The service rests before each part: the workflows of the requests
 * just opened, and of those just decided, would otherwise be measured with it.
 */
export async function measureRecording(ours: Ours): Promise<object> {
  const { installation } = ours
  const ada = await installation.signIn('ada@example.com')
  const signInGrace = (): Promise<TestSession> => installation.signIn('grace@example.com')
  const grace = await signInGrace()
  const scopes = ['requests:write', 'requests:read']
  const response = await ada.post('/v1/keys', { name: 'bench', scopes })
  const program = { url: installation.url, key: String(response.body['key']) }
  const askAndRest = async (count: number): Promise<ApprovableRequest[]> => {
    const waiting = await askMany(program, grace, count)
    await untilAtRest(ours.pool)
    return waiting
  }
  const single: number[] = []
  for (const request of await askAndRest(aloneDecisions)) {
    const sent = monotonicMs()
    await approve(grace, request)
    single.push(monotonicMs() - sent)
  }
  await untilAtRest(ours.pool)
  const bare = await bareTransactions(ours.pool)
  // A single session would reach its limit of requests per second.
  const sessions = await inParallel(Array.from({ length: callers }), 1, signInGrace)
  const many = await askAndRest(requests)
  const sessionOf = new Map(many.map((request, index) => [request, sessions[index % callers]]))
  const began = monotonicMs()
  await inParallel(many, callers, (request) => approve(sessionOf.get(request) ?? grace, request))
  const oneByOneMs = monotonicMs() - began
  const bulkMs: number[] = []
  for (let call = 0; call < bulkCalls; call += 1) {
    const bulk = await askAndRest(requests)
    const sent = monotonicMs()
    await approveMany(grace, bulk)
    bulkMs.push(monotonicMs() - sent)
  }
  const recordedAloneMs = percentiles(single)
  return {
    recordedAloneMs,
    bareTransactionMs: bare.alone,
    recordedRatioP50: round(recordedAloneMs.p50 / bare.alone.p50),
    oneByOnePerSecond: round(requests / (oneByOneMs / 1000)),
    bareTransactionsPerSecond: bare.perSecond,
    bulkPerSecond: round(requests / (percentiles(bulkMs.slice(1)).p50 / 1000)),
  }
}

/** Waits until what was committed is delivered, and its workflows have done their part. */
async function untilAtRest(pool: Pool): Promise<void> {
  const deadline = monotonicMs() + 60_000
  while (monotonicMs() < deadline) {
    const { rows } = await pool.query<{ open: number }>(
      `select count(*)::integer as open from outbox
      where delivered_at is null and undeliverable_at is null`,
    )
    if (rows[0]?.open === 0) return rest(restMs)
    await rest(50)
  }
  throw new Error('the outbox is not delivered')
}

/** Requests of a program that wait: no run begins when one is approved. */
async function askMany(
  program: { readonly url: string; readonly key: string },
  grace: TestSession,
  count: number,
): Promise<ApprovableRequest[]> {
  return inParallel(Array.from({ length: count }), 4, async () => {
    const response = await fetch(`${program.url}/v1/requests`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tool: 'deploy', input: {}, externalId: randomUUID() }),
    })
    const request = (await response.json()) as { id: string }
    if (response.status !== 201) throw new Error(JSON.stringify(request))
    const { body } = await grace.get(`/v1/requests/${request.id}`)
    const presentation = body['presentation'] as { digest: string }
    return { requestId: request.id, digest: String(body['digest']), seen: presentation.digest }
  })
}

async function approve(grace: TestSession, request: ApprovableRequest): Promise<void> {
  const { requestId, digest, seen } = request
  const body = { decision: 'approve', digest, revision: 1, seen }
  const answer = await grace.post(`/v1/requests/${requestId}/decisions`, body)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}

/** The minimal cost of a durable record: begin, one insert, commit. */
async function bareTransactions(
  pool: Pool,
): Promise<{ alone: { p50: number; p95: number }; perSecond: number }> {
  await pool.query('create table bench_floor (id uuid primary key, at timestamptz not null)')
  const insert = async (): Promise<void> => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('insert into bench_floor values ($1, clock_timestamp())', [randomUUID()])
      await client.query('commit')
    } finally {
      client.release()
    }
  }
  const alone: number[] = []
  for (let count = 0; count < aloneDecisions; count += 1) {
    const sent = monotonicMs()
    await insert()
    alone.push(monotonicMs() - sent)
  }
  const began = monotonicMs()
  await inParallel(Array.from({ length: requests }), callers, insert)
  const perSecond = round(requests / ((monotonicMs() - began) / 1000))
  await pool.query('drop table bench_floor')
  return { alone: percentiles(alone), perSecond }
}
