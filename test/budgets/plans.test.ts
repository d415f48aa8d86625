import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Db } from '#store/database.ts'
import { decideMany } from '#services/decisions/decide-many.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { openProgramDesk } from '#services/external/external.fixture.ts'
import { openExternal } from '#services/external/open-external.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { readTasks } from '#services/requests/facts/read-tasks.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { rowOf } from '../harness/fixtures/rows.ts'
import { approvalsOf } from './approvals-of.ts'
import { contextOn, oneConnection } from './context-on.ts'

/** Postgres plans a prepared statement five times for its values, and then keeps a general plan. */
const maxCustomPlans = 5
const rounds = 12

const desk = disposeAfterTests(await openAgentDesk())
const programs = disposeAfterTests(await openProgramDesk())

/** The statements that Postgres planned each time, and how often. */
async function plannedAnew(db: Db): Promise<string[]> {
  const { rows } = await sql<{ statement: string; custom: string }>`
    select statement, custom_plans as custom from pg_prepared_statements
  `.execute(db)
  expect(rows.length).toBeGreaterThan(5)
  return rows.flatMap(({ statement, custom }) =>
    Number(custom) > maxCustomPlans ? `${custom} plans: ${statement}` : [],
  )
}

it('starts, turns, decisions and executions plan none of their statements anew each time', async () => {
  await using db = oneConnection(desk.database.url)
  const api = contextOn(db, desk.api)
  const worker = contextOn(db, desk.worker)
  const { signal } = new AbortController()
  for (let round = 0; round < rounds; round += 1) {
    const input = { path: `notes/${round}.md`, content: 'hello\n' }
    desk.say({ text: 'I act.', calls: [{ tool: 'write_file', input }] })
    const task = { worker: 'scribe', input: 'Write notes' }
    const { id: runId } = await startRun(api, desk.people.ada.caller, task)
    await readTasks(db, [runId], 'list')
    await takeTurn(worker, { runId, turn: 1, signal })
    const [call] = await desk.calls(runId, 1)
    const { requestId = '', id: callId = '' } = call ?? {}
    const { digest } = await rowOf(db, 'request', { id: requestId })
    const body = { decision: 'approve', digest, revision: 1 }
    await decideRequest(api, desk.people.grace.caller, { request: requestId, body })
    expect(await executeCall(worker, { callId, signal })).toEqual({ kind: 'done' })
  }
  expect(await plannedAnew(db)).toEqual([])
})

it('approvals in one call plan none of their statements anew each time', async () => {
  await using db = oneConnection(desk.database.url)
  const api = contextOn(db, desk.api)
  for (let round = 0; round < rounds; round += 1) {
    const runId = await desk.start()
    const paths = [`notes/${round}-a.md`, `notes/${round}-b.md`]
    const calls = paths.map((path) => ({ tool: 'write_file', input: { path, content: 'hello\n' } }))
    desk.say({ text: 'I act.', calls })
    await desk.turn(runId, 1)
    const decisions = await approvalsOf(desk.database.db, runId)
    const { items } = await decideMany(api, desk.people.grace.caller, {
      decisions,
    })
    expect(items).toMatchObject([{ state: 'approved' }, { state: 'approved' }])
  }
  expect(await plannedAnew(db)).toEqual([])
})

it('requests of programs, their pages and their decisions plan none of their statements anew each time', async () => {
  await using db = oneConnection(programs.databaseUrl)
  const ctx = { ...programs.service.ctx, db }
  for (let round = 0; round < rounds; round += 1) {
    const { requestId } = await openExternal(ctx, programs.program.caller, {
      tool: 'deploy',
      input: { version: round },
      externalId: `plan-${round}`,
    })
    const request = await getRequest(ctx, programs.linus.caller, { request: requestId })
    const { digest, presentation } = request
    const seen = presentation.digest
    const body = { decision: 'approve', digest, revision: 1, reason: 'looked', seen }
    await decideRequest(ctx, programs.linus.caller, { request: requestId, body })
  }
  expect(await plannedAnew(db)).toEqual([])
})
