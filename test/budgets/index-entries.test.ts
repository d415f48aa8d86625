import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { openExternal } from '#services/external/open-external.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import type { Db } from '#store/database.ts'
import { addKey } from '../harness/fixtures/people.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { rowOf } from '../harness/fixtures/rows.ts'
import { contextOn, oneConnection } from './context-on.ts'

const desk = disposeAfterTests(await openAgentDesk())

/** How often rows of a table were updated, and how many of these updates wrote to indexes. */
async function updatesOf(
  db: Db,
  table: 'run' | 'request',
): Promise<{ all: number; withIndexes: number }> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ all: number; hot: number }>`
    select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables
    where relname = ${table}
  `.execute(db)
  const [{ all, hot } = { all: Number.NaN, hot: Number.NaN }] = rows
  return { all, withIndexes: all - hot }
}

test('a run that asks, waits and continues writes to no index of runs, also on a full page', async () => {
  await using db = oneConnection(desk.database.url)
  const api = contextOn(db, desk.api)
  const worker = contextOn(db, desk.worker)
  // The snapshot of an autovacuum keeps earlier versions of the row, and the page becomes full.
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_stat_user_tables where schemaname = 'public'
  `.execute(db)
  for (const { name } of tables) {
    await sql`alter table ${sql.table(name)} set (autovacuum_enabled = false)`.execute(db)
  }
  const { signal } = new AbortController()
  const task = { worker: 'scribe', input: 'Write notes' }
  // The pages of their rows get as many as they take.
  const runIds: string[] = []
  for (let count = 0; count < 25; count += 1) {
    runIds.push((await startRun(api, desk.people.ada.caller, task)).id)
  }

  async function indexWritesOf(runId: string): Promise<number> {
    const before = await updatesOf(db, 'run')
    for (const turn of [1, 2]) {
      const input = { path: `notes/${runId}-${turn}.md`, content: 'hello\n' }
      desk.say({ text: 'I act.', calls: [{ tool: 'write_file', input }] })
      await takeTurn(worker, { runId, turn, signal })
      const [call] = await desk.calls(runId, turn)
      const { requestId = '', id: callId = '' } = call ?? {}
      const { digest } = await rowOf(db, 'request', { id: requestId })
      const body = { decision: 'approve', digest, revision: 1 }
      await decideRequest(api, desk.people.grace.caller, { request: requestId, body })
      expect(await executeCall(worker, { callId, signal })).toEqual({ kind: 'done' })
    }
    const after = await updatesOf(db, 'run')
    // Each turn: its number, that it waits, that it no longer waits.
    expect(after.all - before.all).toBeGreaterThanOrEqual(4)
    return after.withIndexes - before.withIndexes
  }

  // A transaction that writes in another database of the server keeps earlier versions of a row
  // too, so not every run has to do without.
  let fewest = Number.POSITIVE_INFINITY
  for (const runId of runIds.slice(0, 8)) {
    fewest = Math.min(fewest, await indexWritesOf(runId))
    if (fewest === 0) break
  }
  expect(fewest).toBe(0)
})

test('a request is written once, with its seal, when a turn asks and when a program does', async () => {
  await using db = oneConnection(desk.database.url)
  const runId = await desk.start()
  const calls = ['a', 'b'].map((name) => ({
    tool: 'write_file',
    input: { path: `notes/${name}.md`, content: 'hello\n' },
  }))
  desk.say({ text: 'I act.', calls })
  const { signal } = new AbortController()
  const before = await updatesOf(db, 'request')
  await takeTurn(contextOn(db, desk.worker), { runId, turn: 1, signal })
  const { caller } = await addKey(db, desk.people.grace)
  const call = { tool: 'deploy', input: { service: 'shop' }, externalId: 'deploy-1' }
  const { requestId } = await openExternal(contextOn(db, desk.api), caller, call)
  const ids = [...(await desk.calls(runId, 1)).map((one) => one.requestId ?? ''), requestId]
  const requests = await Promise.all(ids.map((id) => rowOf(db, 'request', { id })))
  expect(requests.map((request) => desk.api.seals.holdsWhole('request', request))).toEqual([
    true,
    true,
    true,
  ])
  expect(await updatesOf(db, 'request')).toEqual(before)
})

test('the index of the trail by actor serves its pages, and has no entry for events without an id of an actor', async () => {
  const { db } = desk.database
  await desk.start()
  await sql`analyze audit_event`.execute(db)
  const { rows } = await sql<{ entries: number; ofActors: number; all: number }>`
    select (select reltuples::int from pg_class where relname = 'audit_event_by_actor') as entries,
      count(actor_id)::int as "ofActors", count(*)::int as all from audit_event
  `.execute(db)
  const [{ entries, ofActors, all } = { entries: Number.NaN, ofActors: 0, all: 0 }] = rows
  expect(entries).toBe(ofActors)
  expect(all).toBeGreaterThan(ofActors)
  const plan = await db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    await sql`set local enable_bitmapscan = off`.execute(tx)
    const explained = await sql<{ 'QUERY PLAN': string }>`
      explain (generic_plan) select document from audit_event where actor_id = ${sql.raw('$1')}
        order by at desc, id desc limit 50`.execute(tx)
    return explained.rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toContain('audit_event_by_actor')
  expect(plan).not.toContain('Sort')
})
