import { expect, it } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import { decideMany } from '#services/decisions/decide-many.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { advanceExternal } from '#services/external/advance-external.ts'
import { openExternal } from '#services/external/open-external.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { prepareCall } from '#services/engine/starting/prepare-call.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { addKey } from '../harness/fixtures/people.ts'
import { addWaitingCall } from '../harness/fixtures/runs/waiting-call.ts'
import { textsOf, withQueryLog, type LoggedQuery } from '../harness/fixtures/count-queries.ts'
import { approvalsOf } from './approvals-of.ts'
import { contextOn } from './context-on.ts'

const queries: LoggedQuery[] = []

const desk = disposeAfterTests(await openAgentDesk())
const db = disposeAfterTests(withQueryLog(desk.database.url, queries))

it('a decision takes at most 6 queries (9 with a key), an approved call 9 before its tool begins and 17 in all', async () => {
  const api = contextOn(db, desk.api)
  const worker = contextOn(db, desk.worker)
  const { call, digest } = await addWaitingCall(desk, 'one')
  // The first use of a policy version reads it.
  await worker.policies.inForce()
  queries.length = 0
  await decideRequest(api, desk.people.grace.caller, {
    request: call.requestId,
    body: { decision: 'approve', digest, revision: 1 },
  })
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(6)
  const other = await addWaitingCall(desk, 'other')
  queries.length = 0
  await decideRequest(api, desk.people.grace.caller, {
    request: other.call.requestId,
    idempotencyKey: 'one',
    body: { decision: 'approve', digest: other.digest, revision: 1 },
  })
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(9)

  queries.length = 0
  let before = Number.POSITIVE_INFINITY
  desk.beforeExecute = async () => {
    before = queries.length
  }
  const { signal } = new AbortController()
  expect(await executeCall(worker, { callId: call.id, signal })).toEqual({ kind: 'done' })
  expect(before, textsOf(queries)).toBeLessThanOrEqual(9)
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(17)
})

it('the activity of an approved call that was prepared takes at most 6 queries before its tool begins', async () => {
  const worker = contextOn(db, desk.worker)
  await worker.policies.inForce()
  const { call } = await addWaitingCall(desk, 'prepared')
  await desk.decide(desk.people.grace, call.requestId)
  queries.length = 0
  const ready = await prepareCall(worker, call.id)
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(3)
  queries.length = 0
  let before = Number.POSITIVE_INFINITY
  desk.beforeExecute = async () => {
    before = queries.length
  }
  const { signal } = new AbortController()
  expect(await executeCall(worker, { callId: call.id, signal, ready })).toEqual({ kind: 'done' })
  expect(before, textsOf(queries)).toBeLessThanOrEqual(6)
})

it('a pre-approved call takes at most 18 queries, with one wait for the disk before its tool begins', async () => {
  const worker = contextOn(db, desk.worker)
  await worker.policies.inForce()
  const runId = await desk.start()
  desk.say({ text: 'I read.', calls: [{ tool: 'read_file', input: { path: 'notes/a.md' } }] })
  await desk.turn(runId, 1)
  const [call] = await desk.calls(runId, 1)
  queries.length = 0
  let commits = Number.POSITIVE_INFINITY
  desk.beforeExecute = async () => {
    commits = queries.filter(({ sql }) => sql === 'commit').length
  }
  const { signal } = new AbortController()
  expect(await executeCall(worker, { callId: call?.id ?? '', signal })).toEqual({ kind: 'done' })
  expect(commits, textsOf(queries)).toBe(1)
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(18)
})

it.each([
  { keyed: false, maxQueries: 10 },
  // The batch's name and the items' answers: each looked for and stored once, in two transactions.
  { keyed: true, maxQueries: 18 },
])(
  'decisions of one run in one call take at most $maxQueries queries, ten as many as two (with a key: $keyed)',
  async ({ keyed, maxQueries }) => {
    const api = contextOn(db, desk.api)
    await api.policies.inForce()
    const taken: number[] = []
    for (const count of [2, 10]) {
      const runId = await desk.start()
      const calls = Array.from({ length: count }, (_, index) => ({
        tool: 'write_file',
        input: { path: `notes/${index}.md`, content: 'hello\n' },
      }))
      desk.say({ text: 'I act.', calls })
      await desk.turn(runId, 1)
      const decisions = await approvalsOf(desk.database.db, runId)
      queries.length = 0
      const { items } = await decideMany(api, desk.people.grace.caller, {
        decisions,
        ...(keyed ? { idempotencyKey: `bulk-${count}` } : {}),
      })
      expect(items.map(({ state }) => state)).toEqual(decisions.map(() => 'approved'))
      taken.push(queries.length)
    }
    expect(taken[0], textsOf(queries)).toBeLessThanOrEqual(maxQueries)
    expect(taken[1], textsOf(queries)).toBe(taken[0])
  },
)

it('decisions of several runs in one call take at most 10 queries, of ten runs as many as of two', async () => {
  const api = contextOn(db, desk.api)
  await api.policies.inForce()
  const taken: number[] = []
  for (const count of [2, 10]) {
    const decisions: JsonObject[] = []
    for (let index = 0; index < count; index += 1) {
      const { call } = await addWaitingCall(desk, `of-${count}-runs-${index}`)
      const { digest, seen } = await desk.database.db
        .selectFrom('request')
        .innerJoin('request_revision', 'request_revision.request_id', 'request.id')
        .select(['request.digest', 'presentation_digest as seen'])
        .where('request.id', '=', call.requestId)
        .executeTakeFirstOrThrow()
      decisions.push({ requestId: call.requestId, decision: 'approve', digest, revision: 1, seen })
    }
    queries.length = 0
    const { items } = await decideMany(api, desk.people.grace.caller, { decisions })
    expect(items.map(({ state }) => state)).toEqual(decisions.map(() => 'approved'))
    taken.push(queries.length)
  }
  expect(taken[0], textsOf(queries)).toBeLessThanOrEqual(10)
  expect(taken[1], textsOf(queries)).toBe(taken[0])
})

it("the start of a run takes at most 10 queries, the opening of a program's request 18, and each look of its workflow one", async () => {
  const api = contextOn(db, desk.api)
  await api.policies.inForce()
  queries.length = 0
  await startRun(api, desk.people.ada.caller, { worker: 'scribe', input: 'Write notes' })
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(10)

  const program = await addKey(desk.database.db, desk.people.grace)
  const call = { tool: 'deploy', input: { service: 'shop' }, externalId: 'deploy-1' }
  queries.length = 0
  const { requestId } = await openExternal(api, program.caller, call)
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(18)

  queries.length = 0
  const { nextDeadlineMs } = await advanceExternal(contextOn(db, desk.worker), { requestId })
  expect(nextDeadlineMs).toBeGreaterThan(0)
  // With a lock it would be a transaction, whose commit waits for the disk.
  expect(queries.length, textsOf(queries)).toBe(1)
})

it('the last turn of a run takes at most 15 queries with the closing of the run', async () => {
  const worker = contextOn(db, desk.worker)
  const runId = await desk.start()
  desk.say({ text: 'Done.' })
  await worker.policies.inForce()
  queries.length = 0
  const { signal } = new AbortController()
  expect(await takeTurn(worker, { runId, turn: 1, signal })).toEqual({ kind: 'ended' })
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(15)
})

it('turns of two, three and five calls that ask send the same statements, so that Postgres plans them once', async () => {
  const worker = contextOn(db, desk.worker)
  await worker.policies.byDigest((await worker.policies.inForce()).digest)
  const texts: string[][] = []
  for (const calls of [2, 3, 5]) {
    const runId = await desk.start()
    const inputs = Array.from({ length: calls }, (_, index) => ({
      path: `notes/${calls}-${index}.md`,
      content: '-',
    }))
    desk.say({ text: 'I act.', calls: inputs.map((input) => ({ tool: 'write_file', input })) })
    queries.length = 0
    const { signal } = new AbortController()
    await takeTurn(worker, { runId, turn: 1, signal })
    // The policy is read beside others, so the order differs.
    texts.push(queries.map(({ sql }) => sql).toSorted())
  }
  expect(texts[1]).toEqual(texts[0])
  expect(texts[2]).toEqual(texts[0])
})

it('a turn takes at most 21 queries, 23 when its calls ask, and no more for ten calls than for one', async () => {
  const worker = contextOn(db, desk.worker)
  await worker.policies.byDigest((await worker.policies.inForce()).digest)
  for (const [tool, maxQueries] of [
    ['read_file', 21],
    ['write_file', 23],
  ] as const) {
    const taken: number[] = []
    for (const calls of [1, 10]) {
      const runId = await desk.start()
      const inputs = Array.from({ length: calls }, (_, index) =>
        tool === 'read_file' ? { path: 'notes/a.md' } : { path: `notes/${index}.md`, content: '-' },
      )
      desk.say({ text: 'I act.', calls: inputs.map((input) => ({ tool, input })) })
      queries.length = 0
      const { signal } = new AbortController()
      const outcome = await takeTurn(worker, { runId, turn: 1, signal })
      expect(outcome).toMatchObject({ kind: 'calls' })
      // A statement whose limit is a parameter is planned each time (preparing-pool.ts).
      expect(textsOf(queries)).not.toMatch(/ limit \$/i)
      taken.push(queries.length)
    }
    expect(taken[0], textsOf(queries)).toBeLessThanOrEqual(maxQueries)
    expect(taken[1], textsOf(queries)).toBe(taken[0])
  }
})
