import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeskCall } from '#test/harness/fixtures/agent-desk.ts'
import { openCommitCutter, type CommitCutter } from '#test/harness/outages/cut-commits.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { settleOutcome } from '../../decisions/settle-outcome.ts'
import { executeCall } from './execute-call.ts'
import { settleUnknown } from './settle-unknown.ts'
import {
  anApprovedWrite,
  desk,
  executions,
  onlyCall,
  useExecutionDesk,
} from './executions.fixture.ts'

useExecutionDesk()

let cutter: CommitCutter
let cutDb: Db
beforeAll(async () => {
  cutter = await openCommitCutter(desk.database.url)
  cutDb = connectDatabase({ url: cutter.url, poolSize: 4, applicationName: 'cut' })
})
afterAll(async () => {
  await cutDb.destroy()
  await cutter[Symbol.asyncDispose]()
})

const signal = new AbortController().signal

/** Carries the call out on a host whose connections are cut. */
const executeCut = ({ id }: DeskCall): Promise<CallOutcome> =>
  executeCall({ ...desk.worker, db: cutDb, executor: 'cut-host' }, { callId: id, signal })

const once = [{ attempt: 1, state: 'succeeded', reason: null }]

/** Events about an attempt, in the trail of the run. */
async function eventsOf(runId: string): Promise<string[]> {
  return (await desk.auditTypes(runId)).filter((type) => type.startsWith('execution.'))
}

// Rules: security.md 42
describe('a start whose commit was not acknowledged', () => {
  test('and is recorded is carried out by its own process, once, and nobody is asked', async () => {
    const { runId, call, path } = await anApprovedWrite()
    const cut = cutter.cutNext()
    expect(await executeCut(call)).toEqual({ kind: 'done' })
    await cut
    expect(await executions(call.id)).toEqual(once)
    expect(await desk.read(path)).toBe('two\n')
    expect(desk.executed).toEqual(['write_file'])
    expect(await eventsOf(runId)).toEqual(['execution.started', 'execution.finished'])
  })

  test('and reaches Postgres late is waited for, and carried out once', async () => {
    const { runId, call } = await anApprovedWrite()
    const cut = cutter.cutNext('late')
    const executing = executeCut(call)
    await cut
    // It waits for the lock that the start holds.
    await waitUntil(isBlocked)
    expect(desk.executed).toEqual([])
    cutter.letThrough()
    expect(await executing).toEqual({ kind: 'done' })
    expect(await executions(call.id)).toEqual(once)
    expect(await eventsOf(runId)).toEqual(['execution.started', 'execution.finished'])
  })

  test('and never reached Postgres has not begun: the workflow may start it again', async () => {
    const { call } = await anApprovedWrite()
    const cut = cutter.cutNext('lost')
    await expect(executeCut(call)).rejects.toThrow(/connection/i)
    await cut
    expect(await executions(call.id)).toEqual([])
    expect(await settleUnknown(desk.worker, { callId: call.id })).toEqual({ kind: 'again' })
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await executions(call.id)).toEqual(once)
    expect(desk.executed).toEqual(['write_file'])
  })

  test('does not let its process carry out a start of another process', async () => {
    const { call } = await anApprovedWrite()
    const cut = cutter.cutNext('lost')
    const held = Promise.withResolvers<void>()
    desk.beforeExecute = () => held.promise
    const executing = executeCut(call)
    const other = cut.then(() => desk.execute(call.id))
    const failure = executing.catch(String)
    await waitUntil(async () => (await executions(call.id)).length === 1)
    expect(await failure).toMatch(/connection/i)
    held.resolve()
    expect(await other).toEqual({ kind: 'done' })
    expect(await executions(call.id)).toEqual(once)
    expect(desk.executed).toEqual(['write_file'])
  })
})

describe('a start whose commit was not acknowledged, on a host that lost the database for long', () => {
  /** The host learns of its start only after the workflow has given the attempt up. */
  async function givenUp() {
    const write = await anApprovedWrite()
    const cut = cutter.cutAll()
    const executing = executeCut(write.call)
    await cut
    const lost = await settleUnknown(desk.worker, { callId: write.call.id })
    const check = lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : ''
    return { ...write, executing, check }
  }

  test('is not carried out any more, and withdraws the question from the people who were asked', async () => {
    const { runId, call, path, executing, check } = await givenUp()
    cutter.letThrough()
    expect(await executing).toEqual({ kind: 'done' })
    expect(desk.executed).toEqual([])
    await expect(desk.read(path)).rejects.toThrow(/ENOENT/)
    expect(await executions(call.id)).toMatchObject([{ state: 'failed' }])
    expect(await onlyCall(runId)).toMatchObject({
      result: 'error',
      text: expect.stringContaining('was not carried out') as string,
    })
    const { state } = await rowOf(desk.database.db, 'request', { id: check })
    expect(state).toBe('cancelled')
  })

  test('is never carried out beside the attempt that a person started again', async () => {
    const { call, executing, check } = await givenUp()
    const finding = { request: check, ran: false, then: 'again', reason: 'nothing is there' }
    await settleOutcome(desk.api, desk.people.grace.caller, finding)
    const again = desk.execute(call.id)
    await waitUntil(async () => (await executions(call.id)).length === 2)
    cutter.letThrough()
    expect(await again).toEqual({ kind: 'done' })
    expect(await executing).toEqual({ kind: 'done' })
    expect(desk.executed).toEqual(['write_file'])
    expect((await executions(call.id)).map(({ state }) => state)).toEqual(['failed', 'succeeded'])
  })
})

test('the end of an attempt whose commit was not acknowledged is recorded once', async () => {
  const { runId, call } = await anApprovedWrite()
  desk.beforeExecute = async () => void cutter.cutNext()
  expect(await executeCut(call)).toEqual({ kind: 'done' })
  expect(await executions(call.id)).toEqual(once)
  expect(await eventsOf(runId)).toEqual(['execution.started', 'execution.finished'])
})

/** Whether a transaction waits for a lock of another one. */
async function isBlocked(): Promise<boolean> {
  const { rows } = await sql<{ waiting: boolean }>`
    select exists (
      select from pg_stat_activity where application_name = 'cut' and wait_event_type = 'Lock'
        and datname = current_database()
    ) as waiting
  `.execute(desk.database.db)
  return rows[0]?.waiting === true
}
