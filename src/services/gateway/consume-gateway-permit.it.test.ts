import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callDigest } from '#domain/json/digest.ts'
import { executionSentence } from '#domain/requests/execution-sentence.ts'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import { gatewayAnswer } from '#api/mcp/gateway-answer.ts'
import { gatewayWorkerName } from '#policy/worker/gateway-workers.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import { openCommitCutter, type CommitCutter } from '#test/harness/outages/cut-commits.ts'
import { withTripCount } from '#test/harness/fixtures/count-queries.ts'
import { customTool } from '#test/harness/fixtures/judging.ts'
import { testSeals } from '#test/harness/fixtures/keys/test-keys.ts'
import { addKey, addPerson } from '#test/harness/fixtures/people.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import type { Ledger } from '../core/ledger.ts'
import { createServiceProcess } from '../core/system.ts'
import type { WorkerContext } from '../core/worker-context.ts'
import { settleOutcome } from '../decisions/settle-outcome.ts'
import { judgeCall } from '../engine/judging/judge-call.ts'
import { openProgramDesk, type ProgramDesk } from '../external/external.fixture.ts'
import { consumeGatewayPermit } from './consume-gateway-permit.ts'
import { executeGatewayCall } from './execute-gateway-call.ts'
import { finishGatewayCall } from './finish-gateway-call.ts'
import { gatewayResult, readCallState } from './read-call-state.ts'
import { recordWaitingCaller } from './record-waiting-caller.ts'
import { settleGatewayCall } from './settle-gateway-call.ts'

let desk: ProgramDesk
let cutter: CommitCutter
let cutDb: Db
beforeAll(async () => {
  desk = await openProgramDesk()
  cutter = await openCommitCutter(desk.databaseUrl)
  cutDb = connectDatabase({ url: cutter.url, poolSize: 2, applicationName: 'cut' })
})
afterAll(async () => {
  await cutDb.destroy()
  await cutter[Symbol.asyncDispose]()
  await desk[Symbol.asyncDispose]()
})

const system = createServiceProcess()
const ctx = () => ({ ...desk.service.ctx, system })

const notUsed = (): never => {
  throw new Error('not used here')
}

/** A host with only these abilities. */
function hostWith(abilities: Partial<WorkerContext>): WorkerContext {
  return {
    ...ctx(),
    executor: 'test',
    commandHost: {
      sandboxProblem: null,
      executable: notUsed,
      realPath: notUsed,
      gitHas: notUsed,
      nestsRepositories: notUsed,
    },
    workspaceOf: notUsed,
    worktreeBase: notUsed,
    registryOf: async () => ({ all: () => [], get: () => undefined }),
    modelOf: notUsed,
    ...abilities,
  }
}

/** Tries to carry out a call on a host with only these abilities. */
function carryOut(requestId: string, abilities: Partial<WorkerContext>): Promise<void> {
  const { signal } = new AbortController()
  return executeGatewayCall(hostWith(abilities), { requestId, signal })
}

/** An approved call of the gateway that is carried out as soon as it can be. */
async function approvedCall() {
  const request = await desk.askByGateway({ byTask: true })
  await desk.decide(request, 'approve')
  return request
}

const toConsume = (digest: string, { signal } = new AbortController()) => ({
  digest,
  policyDigest: desk.service.policy.digest,
  signal,
})

const claim = ({ id, digest }: { readonly id: string; readonly digest: string }) =>
  consumeGatewayPermit(ctx(), id, toConsume(digest))

const claimCut = ({ id, digest }: { readonly id: string; readonly digest: string }) =>
  consumeGatewayPermit({ ...ctx(), db: cutDb }, id, toConsume(digest))

async function outcomeOf(requestId: string): Promise<string | null> {
  const { rows } = await sql<{ outcome: string | null }>`
    select outcome from external_request where request_id = ${requestId}
  `.execute(desk.service.db)
  return rows[0]?.outcome ?? null
}

// Rules: security.md 13, 14
describe('a gateway call whose claim was not acknowledged', () => {
  test('is made by its own host if the claim is recorded, and by no other', async () => {
    const request = await approvedCall()
    const cut = cutter.cutNext()
    expect(await claimCut(request)).toBe('consumed')
    await cut
    expect(await claim(request)).toBe('none')
    const started = (await desk.auditOf(request.id)).filter((type) => type === 'execution.started')
    expect(started).toHaveLength(1)
  })

  test('is not made by its host if the claim never reached Postgres, also when another claim came first', async () => {
    const request = await approvedCall()
    const cut = cutter.cutNext('lost')
    const failure = claimCut(request).catch(String)
    await cut
    expect(await claim(request)).toBe('consumed')
    expect(await failure).toMatch(/connection/i)
  })

  test('is not made once people were asked about its outcome, and its request leads to that check only', async () => {
    const request = await approvedCall()
    const cut = cutter.cutAll()
    const failure = claimCut(request).catch(String)
    await cut
    await settleGatewayCall(ctx(), { requestId: request.id })
    expect(await outcomeOf(request.id)).toBe('unknown')
    cutter.letThrough()
    expect(await failure).toMatch(/connection/i)
    const { outcomeCheck } = await desk.read(request.id)
    expect(await desk.read(outcomeCheck ?? '')).toMatchObject({
      kind: 'outcome_check',
      state: 'pending',
      outcomeOf: request.id,
    })
    const { db } = desk.service
    const other = await desk.ask()
    const where = { request_id: request.id }
    await setRows(db, 'gateway_call', where, { outcome_check_id: other.id })
    expect(await desk.read(request.id)).toMatchObject({ outcomeCheck: null })
    // The check of another call is none of this one either.
    await setRows(db, 'request', { id: other.id }, { kind: 'outcome_check' })
    expect(await desk.read(request.id)).toMatchObject({ outcomeCheck: null })
    await setRows(db, 'gateway_call', where, { outcome_check_id: outcomeCheck })
    expect(await desk.read(request.id)).toMatchObject({ outcomeCheck })
  })
})

// Rules: security.md 42
test('while the ledger cannot be written, as on a full disk, a gateway call waits, and then begins once', async () => {
  const { ledger } = ctx()
  let failures = 2
  const first: Ledger['first'] = async (...entry) => {
    if (failures === 0) return ledger.first(...entry)
    failures -= 1
    throw new Error('ENOSPC: no space left on device')
  }
  const { id, digest } = await approvedCall()
  const host = { ...ctx(), ledger: { first } }
  expect(await consumeGatewayPermit(host, id, toConsume(digest))).toBe('consumed')
  expect(await claim({ id, digest })).toBe('none')
})

// Rules: security.md 27, 42
test.each([
  ['whose ledger could not be written for a minute', 'minute', 'ledger not written', 'ledger'],
  ['that was stopped while it waited for its ledger', 'stop', 'stopped', 'stopped'],
  ['that was stopped right after its entry in the ledger', 'entry', 'stopped', 'stopped'],
] as const)(
  'a gateway call %s is not made, and nobody is asked whether it was',
  async (_, when, reason, word) => {
    const { ledger } = ctx()
    const { id, digest } = await approvedCall()
    const stop = new AbortController()
    const late = performance.now() + 61_000
    let writes = 0
    const first: Ledger['first'] = async (...entry) => {
      writes += 1
      if (when !== 'minute') stop.abort()
      if (when === 'entry') return ledger.first(...entry)
      if (when === 'minute') vi.spyOn(performance, 'now').mockReturnValue(late)
      throw new Error('ENOSPC: no space left on device')
    }
    const host = { ...ctx(), ledger: { first } }
    const claiming = consumeGatewayPermit(host, id, toConsume(digest, stop))
    expect(await claiming.finally(() => vi.restoreAllMocks())).toBe('none')
    expect(writes).toBe(1)
    expect(await outcomeOf(id)).toBe('failed')
    const [end] = await trailOf(desk.service.db, { request: id }, 'execution.finished')
    expect(end?.detail).toMatchObject({ state: 'failed', reason })
    await settleGatewayCall(ctx(), { requestId: id })
    expect(await rowsOf(desk.service.db, 'request', { outcome_of: id }, 'state')).toEqual([])
    const callState = await readCallState(ctx(), desk.program.caller, 'shop', { request: id })
    const answer = gatewayAnswer(callState, 'https://desk.example', await gatewayResult(ctx(), id))
    const text = expect.stringMatching(`^NOT RUN: .*${word}`) as string
    expect(answer).toMatchObject({ content: [{ text }] })
  },
)

// Rules: security.md 27
test('a host that stands still after the claim of a gateway call makes it later only if nobody was asked about it', async () => {
  const { ledger } = ctx()
  /** Claims a call on a host that goes on half a minute after the claim is recorded. */
  const claimAndStop = ({ id, digest }: { id: string; digest: string }, meanwhile: () => unknown) =>
    consumeGatewayPermit(
      {
        ...ctx(),
        ledger: {
          first: async (...entry) => {
            const first = await ledger.first(...entry)
            await meanwhile()
            vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
            return first
          },
        },
      },
      id,
      toConsume(digest),
    ).finally(() => vi.useRealTimers())
  expect(await claimAndStop(await approvedCall(), () => null)).toBe('consumed')
  const lost = await approvedCall()
  const settle = () => settleGatewayCall(ctx(), { requestId: lost.id })
  expect(await claimAndStop(lost, settle)).toBe('none')
  expect(await outcomeOf(lost.id)).toBe('failed')
  const where = { outcome_of: lost.id }
  const checks = await rowsOf(desk.service.db, 'request', where, 'state', 'cancel_reason')
  expect(checks).toEqual([{ state: 'cancelled', cancel_reason: 'settled' }])
  const [end] = await trailOf(desk.service.db, { request: lost.id }, 'execution.finished')
  expect(end?.detail).toMatchObject({ state: 'failed', reason: 'host stood still' })
  const { caller } = desk.program
  const callState = await readCallState(ctx(), caller, 'shop', { request: lost.id })
  const answer = gatewayAnswer(
    callState,
    'https://desk.example',
    await gatewayResult(ctx(), lost.id),
  )
  expect(answer).toMatchObject({
    content: [
      { text: expect.stringMatching(/^NOT RUN: .* stood still .* Nothing ran[.]$/) as string },
    ],
    _meta: { 'io.modelcontextprotocol/tool-approval-disposition': 'denied-not-executed' },
  })
})

// Rules: security.md 27
test('a try that finds the call begun by another one waits for its end, and without an end people are asked', async () => {
  const end = { state: 'succeeded' as const, result: { content: [] }, notMade: null }
  const made = await approvedCall()
  expect(await claim(made)).toBe('consumed')
  const wait = carryOut(made.id, {})
  await finishGatewayCall(ctx(), made.id, end)
  expect(await wait).toBeUndefined()

  const lost = await approvedCall()
  expect(await claim(lost)).toBe('consumed')
  const ends: string[] = []
  const failure = carryOut(lost.id, {}).then(
    () => ends.push('without a failure'),
    (error: unknown) => ends.push(String(error)),
  )
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await waitUntil(() => {
      vi.setSystemTime(Date.now() + 1000)
      return ends.length > 0
    })
  } finally {
    vi.useRealTimers()
  }
  await failure
  expect(ends).toEqual([expect.stringMatching(/began .* did not end it/) as string])
  await settleGatewayCall(ctx(), { requestId: lost.id })
  expect(await outcomeOf(lost.id)).toBe('unknown')
  // The other try ended after all.
  await finishGatewayCall(ctx(), lost.id, end)
  expect(await outcomeOf(lost.id)).toBe('succeeded')
})

// Rules: security.md 27
test('a call that was stopped before it began keeps its permit', async () => {
  const { id } = await approvedCall()
  const { policy } = desk.service
  const scribe = policy.workers.get('scribe')
  if (scribe === undefined) throw new Error('the fixture has no worker')
  const worker = gatewayWorkerName('shop')
  const inForce = { ...policy, workers: new Map([[worker, scribe]]) }
  const tool = customTool({ name: 'deploy' })
  const host = hostWith({
    policies: { ...ctx().policies, inForce: async () => inForce },
    registryOf: async () => ({ all: () => [tool], get: () => tool }),
    workspaceOf: async () => openWorkspace({ root: tmpdir(), hidden: [] }),
  })
  const input = { service: 'shop', version: '1.4.2' }
  const question = { worker, tool: 'deploy', input, present: false }
  const { judgement } = await judgeCall(host, question, 'test')
  await setRows(desk.service.db, 'request', { id }, { digest: callDigest(judgement) })
  const stopped = { requestId: id, signal: AbortSignal.abort() }
  await expect(executeGatewayCall(host, stopped)).rejects.toThrow(/stopped before it began/)
  expect(await trailOf(desk.service.db, { request: id }, 'permit.refused')).toEqual([])
  expect(await settleGatewayCall(ctx(), { requestId: id })).toEqual({ again: true })
})

// Rules: security.md 27
test('a caller who calls again starts the workflow of a call that has begun and has no end, and of no other call', async () => {
  const { id, digest } = await approvedCall()
  const { db } = desk.service
  const startsAfterCall = async () => {
    await db.deleteFrom('outbox').where('run_id', '=', id).execute()
    await recordWaitingCaller(ctx(), desk.program.caller, id)
    return (await rowsOf(db, 'outbox', { run_id: id }, 'kind')).map(({ kind }) => kind)
  }
  expect(await startsAfterCall()).toEqual(['start_gateway_call'])
  expect(await claim({ id, digest })).toBe('consumed')
  expect(await startsAfterCall()).toEqual(['start_gateway_call'])
  await settleGatewayCall(ctx(), { requestId: id })
  expect(await startsAfterCall()).toEqual([])
})

// Rules: security.md 27
test('what a person found out about a lost gateway call stands, although its end comes at the same time or later', async () => {
  const lost = await approvedCall()
  expect(await claim(lost)).toBe('consumed')
  await settleGatewayCall(ctx(), { requestId: lost.id })
  const { outcomeCheck } = await desk.read(lost.id)
  const settlement = { request: outcomeCheck ?? '', ran: null, then: 'continue', reason: 'unclear' }
  const { linus, service } = desk
  await settleOutcome(service.ctx, linus.caller, settlement)
  const end = { state: 'succeeded' as const, result: { content: [] }, notMade: null }
  await finishGatewayCall(ctx(), lost.id, end)
  expect(await outcomeOf(lost.id)).toBe('unknown')

  const raced = await approvedCall()
  expect(await claim(raced)).toBe('consumed')
  await settleGatewayCall(ctx(), { requestId: raced.id })
  const check = (await desk.read(raced.id)).outcomeCheck ?? ''
  const statement = sql`select from external_request where request_id = ${raced.id} for update`
  const lock = await holdLock(service.db, statement)
  const settling = settleOutcome(service.ctx, linus.caller, {
    ...settlement,
    request: check,
    ran: false,
  })
  try {
    await lock.waitedForBy(1)
    const late = finishGatewayCall(ctx(), raced.id, end)
    await lock.waitedForBy(2)
    await lock.release()
    await Promise.all([settling, late])
  } finally {
    await lock.release()
  }
  expect(await outcomeOf(raced.id)).toBe('failed')
})

// Rules: security.md 27
test('a settlement that waited for so long that another try may be making the call settles nothing', async () => {
  const made = await approvedCall()
  expect(await claim(made)).toBe('consumed')
  const statement = sql`select from request where id = ${made.id} for update`
  const lock = await holdLock(desk.service.db, statement)
  const late = settleGatewayCall(ctx(), { requestId: made.id }).catch(String)
  try {
    await lock.waitedForBy(1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
    await lock.release()
    expect(await late).toMatch(/too late to settle/)
  } finally {
    vi.useRealTimers()
    await lock.release()
  }
  expect(await outcomeOf(made.id)).toBeNull()
  expect(await settleGatewayCall(ctx(), { requestId: made.id })).toEqual({ again: false })
  expect(await outcomeOf(made.id)).toBe('unknown')
})

test('a gateway call that did not begin is tried again only while its permit is live and its result is awaited', async () => {
  const { db } = desk.service
  const { id } = await approvedCall()
  const ofCall = { request_id: id }
  const again = async () => (await settleGatewayCall(ctx(), { requestId: id })).again
  expect(await again()).toBe(true)
  await setRows(db, 'permit', ofCall, { state: 'revoked' })
  expect(await again()).toBe(false)
  await setRows(db, 'permit', ofCall, { state: 'lapsed' })
  expect(await again()).toBe(false)
  await setRows(db, 'permit', ofCall, { state: 'live', expires_at: new Date(Date.now() - 1000) })
  expect(await again()).toBe(false)
  await setRows(db, 'permit', ofCall, { expires_at: new Date(Date.now() + 60_000) })
  expect(await again()).toBe(true)
  await setRows(db, 'gateway_call', ofCall, { by_task: false })
  expect(await again()).toBe(false)
  await setRows(db, 'gateway_call', ofCall, { wanted_at: new Date() })
  expect(await again()).toBe(true)
  expect(await outcomeOf(id)).toBeNull()
})

// Rules: security.md 27
test('a gateway call that lost its host twice before it began is not tried a third time, and its caller learns why', async () => {
  const { id, digest } = await approvedCall()
  const lose = (lostTries: number) => settleGatewayCall(ctx(), { requestId: id, lostTries })
  expect(await lose(1)).toEqual({ again: true })
  // No count, as an activity that somebody scheduled by hand may have.
  expect(await lose(Number.NaN)).toEqual({ again: true })
  expect(await lose(2)).toEqual({ again: false })
  expect(await lose(2)).toEqual({ again: false })
  const [unused, ...more] = await trailOf(desk.service.db, { request: id }, 'permit.refused')
  expect(unused?.detail).toEqual({ attempt: 'gateway', code: 'failed' })
  expect(more).toEqual([])
  expect(await claim({ id, digest })).toBe('none')
  const callState = await readCallState(ctx(), desk.program.caller, 'shop', { request: id })
  expect(gatewayAnswer(callState, 'https://desk.example', null)).toMatchObject({
    content: [{ text: expect.stringMatching(/^REFUSED, not run: .* lost twice/) as string }],
    _meta: { 'io.modelcontextprotocol/tool-approval-disposition': 'denied-not-executed' },
  })
})

test('a gateway call that cannot be made until somebody corrects something is not tried again, and its caller learns why', async () => {
  const { db } = desk.service
  const reasonOf = (id: string) =>
    rowOf(db, 'gateway_call', { request_id: id }, 'refusal', 'refusal_reason')
  const again = async (requestId: string) => (await settleGatewayCall(ctx(), { requestId })).again
  const homeless = await approvedCall()
  let looks = 0
  const workspaceOf = async () => {
    // After a restart it may be mounted within a minute.
    if ((looks += 1) === 2) vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    throw new UnusableWorkspace('its folder is not there')
  }
  await carryOut(homeless.id, { workspaceOf }).finally(() => vi.useRealTimers())
  expect(looks).toBe(2)
  expect(await reasonOf(homeless.id)).toEqual({
    refusal: 'failed',
    refusal_reason:
      'the workspace cannot be used: its folder is not there; call again to open a new request',
  })
  expect(await again(homeless.id)).toBe(false)

  const changed = await approvedCall()
  const { seal } = await rowOf(db, 'request', { id: homeless.id }, 'seal')
  await setRows(db, 'request', { id: changed.id }, { seal })
  // The key that a changed row names says nothing.
  const other = await addKey(db, await addPerson(db, 'Mallory', []))
  await setRows(db, 'external_request', { request_id: changed.id }, { api_key_id: other.id })
  expect(await claim(changed)).toBe('none')
  expect(await reasonOf(changed.id)).toEqual({
    refusal: 'failed',
    refusal_reason: expect.stringMatching(/changed in the database, .* ask again/) as string,
  })
  const [unusedPermit] = await trailOf(db, { request: changed.id }, 'permit.refused')
  expect(unusedPermit?.detail).toEqual({ attempt: 'gateway', code: 'tampered' })
  expect(await again(changed.id)).toBe(false)
})

// Rules: product.md 47
test('what is said of the end of a gateway call names who knows it: nobody yet, a person, the service', async () => {
  const lost = await approvedCall()
  const sentenceOf = async (id: string): Promise<string | null> => {
    const { execution, ...request } = await desk.read(id)
    return executionSentence(execution, request)
  }
  expect(await sentenceOf(lost.id)).toBe('Approved, not yet carried out.')
  expect(await claim(lost)).toBe('consumed')
  expect(await sentenceOf(lost.id)).toBe('It is being carried out now.')
  await settleGatewayCall(ctx(), { requestId: lost.id })
  expect(await sentenceOf(lost.id)).toContain('nobody knows whether it took effect')
  const { outcomeCheck } = await desk.read(lost.id)
  const finding = { ran: false, then: 'continue', reason: 'it is not in the journal' } as const
  const { caller } = desk.linus
  await settleOutcome(desk.service.ctx, caller, { request: outcomeCheck ?? '', ...finding })
  expect(await sentenceOf(lost.id)).toBe('A person found that it did not take effect.')

  const made = await approvedCall()
  expect(await claim(made)).toBe('consumed')
  const end = { state: 'succeeded' as const, result: { content: [] }, notMade: null }
  await finishGatewayCall(ctx(), made.id, end)
  expect(await sentenceOf(made.id)).toBe('Carried out.')

  const late = await approvedCall()
  const permit = { request_id: late.id }
  await setRows(desk.service.db, 'permit', permit, { state: 'lapsed' })
  expect(await sentenceOf(late.id)).toBe(
    'It was not carried out: the approval lapsed before the service could make the call.',
  )
})

// Rules: product.md 1, 14
test('when another version takes force after its judgement, a gateway call is judged again and keeps its permit', async () => {
  const { id, digest } = await approvedCall()
  const policyDigest = `sha256:${'ab'.repeat(32)}`
  expect(await consumeGatewayPermit(ctx(), id, { ...toConsume(digest), policyDigest })).toBe(
    'judge_again',
  )
  expect(await desk.auditOf(id)).not.toContain('execution.started')
  expect(await claim({ id, digest })).toBe('consumed')
})

// Rules: security.md 29
test('a gateway call of an expired key is not made, even after somebody removes the expiry from the row of the key', async () => {
  const { db } = desk.service
  const request = await approvedCall()
  const key = { id: desk.program.id }
  const row = await rowOf(db, 'api_key', key)
  const expires_at = new Date(Date.now() - 60_000)
  const seal = testSeals.of('api_key', { ...row, expires_at })
  await setRows(db, 'api_key', key, { expires_at: null, seal })
  expect(await claim(request)).toBe('none')
  await setRows(db, 'api_key', key, { seal: row.seal })
  expect(await rowOf(db, 'gateway_call', { request_id: request.id }, 'refusal')).toEqual({
    refusal: 'blocked',
  })
  expect(await desk.auditOf(request.id)).not.toContain('execution.started')
  expect(await claim(await approvedCall())).toBe('consumed')
})

test('settling a lost gateway call takes at most 9 round trips to Postgres, and its check is sealed', async () => {
  const lost = await approvedCall()
  expect(await claim(lost)).toBe('consumed')
  const trips = withTripCount(desk.databaseUrl)
  await using db = trips.db
  await settleGatewayCall({ ...ctx(), db }, { requestId: lost.id })
  expect(trips.take()).toBeLessThanOrEqual(9)
  const { outcomeCheck } = await desk.read(lost.id)
  const check = await rowOf(db, 'request', { id: outcomeCheck ?? '' })
  expect(testSeals.holdsWhole('request', check)).toBe(true)
})

test('a settlement whose commit never reaches Postgres leaves nothing of a check, and the next one opens a sealed one', async () => {
  const { db } = desk.service
  const lost = await approvedCall()
  expect(await claim(lost)).toBe('consumed')
  const cut = cutter.cutNext('lost')
  const settling = settleGatewayCall({ ...ctx(), db: cutDb }, { requestId: lost.id }).catch(String)
  await cut
  expect(await settling).toMatch(/connection/i)
  expect(await rowsOf(db, 'request', { outcome_of: lost.id }, 'id')).toEqual([])
  expect(await outcomeOf(lost.id)).toBeNull()
  await settleGatewayCall(ctx(), { requestId: lost.id })
  const [check, ...others] = await db
    .selectFrom('request')
    .selectAll()
    .where('outcome_of', '=', lost.id)
    .execute()
  expect(others).toEqual([])
  expect(testSeals.holdsWhole('request', { ...check })).toBe(true)
})
