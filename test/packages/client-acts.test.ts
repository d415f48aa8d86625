import { createServer, type RequestListener } from 'node:http'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest'
import type { OperationAnswer, OperationBody } from '#api/operations.ts'
import {
  callDigest,
  CountersignError,
  createClient,
  type Call,
  type RequestAnswer,
} from '#program-client'
import { closeServer, listenHere } from '../harness/listen.ts'
import { answerCases, openAnswers, type AnswerCase } from './client-answers.ts'

/** A server that answers as the test says, on a port of its own. */
async function openServer(answer: RequestListener) {
  const server = createServer(answer)
  const url = `http://127.0.0.1:${await listenHere(server)}`
  return {
    url,
    client: createClient({ url, apiKey: 'cs_key', timeoutMs: 1500 }),
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

const opened = { id: 'r1', number: 7, state: 'pending', more: 'of the request' }

test('the types of the package are those of the service, of which it imports nothing', () => {
  expectTypeOf<OperationAnswer<'getRequest'>>().toExtend<RequestAnswer>()
  expectTypeOf<OperationAnswer<'openRequest'>>().toExtend<RequestAnswer>()
  type Sent = OperationBody<'openRequest'>
  expectTypeOf<keyof Call>().toEqualTypeOf<keyof Sent>()
  expectTypeOf<NonNullable<Call['presentation']>['type']>().toEqualTypeOf<
    NonNullable<Sent['presentation']>['type']
  >()
  expectTypeOf<RequestAnswer['state']>().toEqualTypeOf<OperationAnswer<'getRequest'>['state']>()
})

test('an act goes through a service that starts again, as one question', async () => {
  const bodies: string[] = []
  await using server = await openServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push(body)
      if (bodies.length === 1) return response.destroy()
      response.writeHead(bodies.length === 2 ? 503 : 201).end(JSON.stringify(opened))
    })
  })
  expect(await server.client.ask({ tool: 'deploy', input: {} })).toEqual({
    id: 'r1',
    number: 7,
    state: 'pending',
  })
  expect(bodies).toHaveLength(3)
  // The name that the client gave the call makes the three one.
  expect(new Set(bodies).size).toBe(1)
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ externalId: expect.stringMatching(/.{36}/) })
})

/** A service that opens requests by name; the test says when each opening is answered. */
async function openSlowService(beforeAnswer: (name: string, openings: number) => Promise<void>) {
  const states = new Map<string, string>()
  let openings = 0
  const server = await openServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      void (async () => {
        const [, id = ''] = /^\/v1\/requests\/(.+)\/withdraw$/.exec(request.url ?? '') ?? []
        if (id !== '') {
          states.set(id, 'cancelled')
          return response.end('{}')
        }
        const { externalId } = JSON.parse(body) as { externalId: string }
        await beforeAnswer(externalId, (openings += 1))
        if (!states.has(externalId)) states.set(externalId, 'pending')
        return response.end(JSON.stringify({ ...opened, id: externalId }))
      })()
    })
  })
  return { states, ...server }
}

// Rules: product.md 47
test.each(['before', 'after'])(
  'a gate that ends while its opening is under way leaves no request, also if the end comes %s it',
  async (when) => {
    const stop = new AbortController()
    const late = Promise.withResolvers<void>()
    await using service = await openSlowService(async (_, openings) => {
      if (openings > 1) return
      stop.abort()
      if (when === 'before') await late.promise
    })
    const { signal } = stop
    const call = { tool: 'deploy', input: {} }
    await expect(service.client.take(call, { signal })).rejects.toThrow('aborted')
    late.resolve()
    await vi.waitFor(() => expect([...service.states.values()]).toEqual(['cancelled']))
    // Nothing is opened for who has ended before.
    await expect(service.client.take(call, { signal })).rejects.toThrow('aborted')
    expect(service.states.size).toBe(1)
  },
)

test('an aborted `ask` takes back only a request that nobody could find again', async () => {
  let stop = new AbortController()
  await using service = await openSlowService(async () => stop.abort())
  const ask = (more = {}) => {
    stop = new AbortController()
    const { signal } = stop
    return service.client.ask({ tool: 'deploy', input: {}, ...more }, { signal })
  }
  await expect(ask()).rejects.toThrow('aborted')
  expect([...service.states.values()]).toEqual(['cancelled'])
  await expect(ask({ externalId: 'mine' })).rejects.toThrow('aborted')
  await vi.waitFor(() => expect(service.states.get('mine')).toBe('pending'))
})

test('what an abort ended is taken back also where that takes longer than the limit of a call', async () => {
  const stop = new AbortController()
  await using service = await openSlowService(async (_, openings) => {
    if (openings === 1) stop.abort()
    else await delay(1500)
  })
  const client = createClient({ url: service.url, apiKey: 'cs_key', timeoutMs: 1000 })
  const { signal } = stop
  await expect(client.ask({ tool: 'deploy', input: {} }, { signal })).rejects.toThrow('aborted')
  expect([...service.states.values()]).toEqual(['cancelled'])
})

test('a request is opened again and withdrawn within one limit', async () => {
  const limitMs = 1000
  const late = Promise.withResolvers<string>()
  const acts: string[] = []
  const client = createClient({
    url: 'http://unused.example',
    apiKey: 'cs_key',
    timeoutMs: limitMs,
    fetch: async (target, init) => {
      acts.push(new URL(String(target)).pathname)
      if (acts.length === 2) {
        void delay(limitMs * 1.4).then(() => late.resolve('late'))
        await delay(limitMs * 0.8)
        return Response.json(opened)
      }
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    },
  })
  const refusal = client.ask({ tool: 'deploy', input: {} }).catch((error) => error)
  expect(await Promise.race([refusal, late.promise])).toMatchObject({ code: 'unavailable' })
  expect(acts).toEqual(['/v1/requests', '/v1/requests', '/v1/requests/r1/withdraw'])
})

test('an opening without an answer in time leaves only a request that can be found again', async () => {
  const never = Promise.withResolvers<void>()
  await using service = await openSlowService((_, openings) =>
    openings === 1 ? never.promise : Promise.resolve(),
  )
  const call = { tool: 'deploy', input: {} }
  const refused = { code: 'unavailable' }
  await expect(service.client.ask(call)).rejects.toMatchObject(refused)
  expect([...service.states.values()]).toEqual(['cancelled'])

  await using taken = await openSlowService((_, openings) =>
    openings === 1 ? never.promise : Promise.resolve(),
  )
  const limit = { openWithinMs: 300 }
  await expect(taken.client.take(call, limit)).rejects.toMatchObject(refused)
  expect([...taken.states.values()]).toEqual(['cancelled'])

  await using own = await openSlowService((name, openings) =>
    name === 'mine' && openings === 1 ? never.promise : Promise.resolve(),
  )
  await expect(own.client.take({ ...call, externalId: 'mine' }, limit)).rejects.toMatchObject(
    refused,
  )
  never.resolve()
  await vi.waitFor(() => expect(own.states.get('mine')).toBe('pending'))
})

test('a service that does not answer is unavailable after the time that the client has', async () => {
  await using silent = await openServer(() => undefined)
  await expect(silent.client.report('r1', { state: 'failed' })).rejects.toMatchObject({
    name: 'CountersignError',
    code: 'unavailable',
    requestId: 'r1',
    message: expect.stringContaining(`${silent.url} gave no answer within 2 s`),
  })
})

test('a service that is not there is unavailable, with the reason of the last attempt', async () => {
  const gone = await openServer(() => undefined)
  await gone[Symbol.asyncDispose]()
  await expect(gone.client.withdraw('r1')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/gave no answer within 2 s: .*ECONNREFUSED/),
  })
})

test('who takes a permit without waiting is told that the call waits, or that the service is away', async () => {
  let isAway = false
  await using server = await openServer((_, response) => {
    if (!isAway) response.end(JSON.stringify({ ...opened, external: null, decisions: [] }))
  })
  const take = () => server.client.take({ tool: 'deploy', input: {} }, { wait: 0 })
  await expect(take()).rejects.toMatchObject({
    code: 'pending',
    message: 'This waits as #7',
    requestId: 'r1',
  })
  isAway = true
  await expect(take()).rejects.toMatchObject({ code: 'unavailable' })
})

// Rules: security.md 34
test.each([
  ['an address', { url: 'localhost', apiKey: 'cs_key' }, {}],
  ['another scheme', { url: 'ftp://localhost:9', apiKey: 'cs_key' }, {}],
  ['a password', { url: 'http://a:b@localhost:9', apiKey: 'cs_key' }, {}],
  ['a port', { url: 'http://127.0.0.1:1', apiKey: 'cs_key' }, {}],
  ['a key', { url: 'http://localhost:9', apiKey: 'cs_ключ' }, {}],
  ['an input', { url: 'http://localhost:9', apiKey: 'cs_key' }, { n: 1n }],
  ['no number', { url: 'http://localhost:9', apiKey: 'cs_key' }, { n: [NaN] }],
  ['an endless number', { url: 'http://localhost:9', apiKey: 'cs_key' }, { n: -Infinity }],
])('%s that can never be sent is refused at once, not tried again', async (_, options, input) => {
  const client = createClient({ ...options, timeoutMs: 600_000 })
  await expect(client.ask({ tool: 'deploy', input })).rejects.toThrow(TypeError)
})

test('the error about a port that no request may use names the address and the cause', async () => {
  const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'cs_key' })
  await expect(client.withdraw('r1')).rejects.toThrow('http://127.0.0.1:1: bad port')
})

// Rules: security.md 34
test.each([NaN, -Infinity])('a gate with %s, which JSON sends as null, runs nothing', async (n) => {
  const client = createClient({ url: 'http://localhost:9', apiKey: 'cs_key' })
  const call = { tool: 'deploy', input: { n } }
  const execute = vi.fn<() => void>()
  await expect(client.gate(call, execute)).rejects.toThrow(TypeError)
  await expect(client.take(call)).rejects.toThrow(TypeError)
  expect(execute).not.toHaveBeenCalled()
})

// Rules: product.md 47
test('a gate waits for a service that is away for an hour, twice, and runs the call once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const hourMs = 3_600_000
  const facts = { toolHash: 'sha256:1' }
  const digest = await callDigest({ tool: 'deploy', input: {}, ...facts })
  const expiresAt = '9999-01-01T00:00:00.000Z'
  const statement = JSON.stringify({ requestId: 'r1', digest, decision: 'approve', expiresAt })
  const approved = { ...opened, state: 'approved', tool: 'deploy', input: {}, digest, revision: 1 }
  const answer = { ...approved, facts, external: null, decisions: [], cancelReason: null }
  const until = new Map<string, number>()
  const answered: string[] = []
  const tries: { readonly act: string; readonly at: number }[] = []
  const client = createClient({
    url: 'http://unused.example',
    apiKey: 'cs_key',
    fetch: async (target) => {
      const act = new URL(String(target)).pathname.split('/').at(-1) ?? ''
      const now = performance.now()
      if (!until.has(act)) until.set(act, ['r1', 'consume'].includes(act) ? now + hourMs : now)
      if (now < (until.get(act) ?? 0)) {
        tries.push({ act, at: now })
        throw new TypeError('fetch failed')
      }
      answered.push(act)
      return Response.json(act === 'consume' ? { permit: { statement } } : answer)
    },
  })
  const ran: object[] = []
  const began = performance.now()
  const end: { tookMs: number | null } = { tookMs: null }
  const gate = client
    .gate({ tool: 'deploy', input: {} }, ({ input }) => void ran.push(input))
    .finally(() => (end.tookMs = performance.now() - began))
  while (end.tookMs === null && performance.now() < began + 3 * hourMs) {
    // While another thread makes a digest, no timer waits, and the time stands.
    if (vi.getTimerCount() === 0) await setImmediate()
    else await vi.advanceTimersByTimeAsync(10_000)
  }
  expect(end.tookMs).not.toBeNull()
  await gate
  expect(ran).toEqual([{}])
  expect(answered).toEqual(['requests', 'r1', 'consume', 'outcome'])
  expect(end.tookMs).toBeGreaterThanOrEqual(2 * hourMs)
  expect(end.tookMs).toBeLessThan(2 * hourMs + 600_000)
  for (const act of ['r1', 'consume']) {
    const times = tries.filter((attempt) => attempt.act === act).map(({ at }) => at)
    const gaps = times.map((at, index) => at - (times[index - 1] ?? at))
    expect(Math.max(...gaps)).toBeLessThan(20_001)
    expect(times.length).toBeLessThan(800)
  }
})

test("the caller's signal ends an act at once, with the caller's reason", async () => {
  await using silent = await openServer(() => undefined)
  const signal = AbortSignal.timeout(50)
  await expect(silent.client.decision('r1', { wait: Infinity, signal })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
})

test('a refusal has the code, the sentence and the facts of the service', async () => {
  const problem = { code: 'stale_digest', detail: 'Another digest', digest: 'sha256:1' }
  await using server = await openServer((_, response) => {
    response.writeHead(412, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify(problem))
  })
  await expect(server.client.consume('r1', 'sha256:0')).rejects.toMatchObject({
    code: 'stale_digest',
    message: 'Another digest',
    status: 412,
    problem,
    requestId: 'r1',
  })
})

test('the key is sent to no address that the service redirects to', async () => {
  const reached: unknown[] = []
  await using elsewhere = await openServer((request, response) => {
    reached.push(request.headers)
    response.end('{}')
  })
  await using server = await openServer((_, response) => {
    response.writeHead(307, { location: elsewhere.url }).end()
  })
  await expect(server.client.ask({ tool: 'deploy', input: {} })).rejects.toMatchObject({
    code: 'unavailable',
    status: 307,
  })
  expect(reached).toEqual([])
})

test('an id is one segment of the path, whatever it contains', async () => {
  const paths: unknown[] = []
  await using server = await openServer((request, response) => {
    paths.push(request.url)
    response.end(JSON.stringify({ ...opened, decisions: [] }))
  })
  await server.client.decision('../../v1/keys?x=1#y')
  expect(paths).toEqual(['/v1/requests/..%2F..%2Fv1%2Fkeys%3Fx%3D1%23y'])
})

test('a decision is looked at once without `wait`, and again until its end with it', async () => {
  const paths: unknown[] = []
  await using server = await openServer((request, response) => {
    paths.push(request.url)
    const isDecided = paths.length === 3
    const decisions = isDecided
      ? [{ person: { id: 'p', name: 'Grace' }, decision: 'deny', reason: 'use yarn', at: '' }]
      : []
    const answer = { ...opened, digest: 'sha256:0', revision: 1, decisions, cancelReason: null }
    response.end(JSON.stringify({ ...answer, state: isDecided ? 'denied' : 'pending' }))
  })
  const first = await server.client.decision('r1')
  expect(first).toMatchObject({ state: 'pending', digest: 'sha256:0', revision: 1 })
  expect(first).not.toHaveProperty('decidedBy')
  expect(await server.client.decision('r1', { wait: Infinity })).toMatchObject({
    state: 'denied',
    decidedBy: 'Grace',
    reason: 'use yarn',
    request: { number: 7 },
  })
  expect(paths).toEqual(['/v1/requests/r1', '/v1/requests/r1?wait=50', '/v1/requests/r1?wait=50'])
})

/** What becomes of a method, as `answerCases` say it. */
async function outcomeOf({ method, timeoutSeconds }: AnswerCase, url: string): Promise<object> {
  const client = createClient({ url, apiKey: 'cs_key', timeoutMs: timeoutSeconds * 1000 })
  try {
    switch (method) {
      case 'ask':
        return { state: (await client.ask({ tool: 'deploy', input: {} })).state }
      case 'find':
        return { state: (await client.find('e1'))?.state ?? null }
      case 'decision': {
        const { decidedBy: by, reason, state } = await client.decision('r1')
        return { state, by, reason }
      }
      case 'consume':
        return await client.consume('r1', 'sha256:0')
      case 'report':
        await client.report('r1', { state: 'failed' })
        return {}
    }
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error
    const { code, message, status } = error
    return { code, status, message }
  }
}

test.concurrent.each(answerCases)('$name', async (one) => {
  await using server = await openAnswers(one)
  expect(await outcomeOf(one, server.url)).toMatchObject(one.result)
  if (one.sent !== undefined) expect(server.paths).toHaveLength(one.sent)
})
