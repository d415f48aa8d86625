import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import type { Db } from '#store/database.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { addKey } from '../harness/fixtures/people.ts'
import { contextOn, oneConnection } from './context-on.ts'

const desk = disposeAfterTests(await openAgentDesk())

/** How often each function was called since the connection began to count. */
async function callsOf(db: Db): Promise<Record<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ name: string; calls: number }>`
    select funcname as name, calls::int from pg_stat_user_functions
  `.execute(db)
  return Object.fromEntries(rows.map(({ name, calls }) => [name, calls]))
}

test('a start calls no trigger that has nothing to do: owners of keys, and places of requests that wait alone', async () => {
  await using db = oneConnection(desk.database.url)
  await sql`set track_functions = 'all'`.execute(db)
  const { ada, grace } = desk.people
  const api = contextOn(db, desk.api)
  const worker = contextOn(db, desk.worker)
  const ask = async (runId: string, ...paths: string[]) => {
    const inputs = paths.map((path) => ({ path, content: 'hello\n' }))
    desk.say({ text: 'I act.', calls: inputs.map((input) => ({ tool: 'write_file', input })) })
    const { signal } = new AbortController()
    const outcome = await takeTurn(worker, { runId, turn: 1, signal })
    expect(outcome).toMatchObject({ kind: 'calls', calls: paths.map(() => ({ step: 'wait' })) })
  }
  const task = { worker: 'scribe', input: 'Write notes' }
  const { id: alone } = await startRun(api, ada.caller, task)
  await ask(alone, 'notes/a.md')
  const ofOne = await callsOf(db)
  expect(ofOne).toMatchObject({ place_opened_turns: 1, place_request: 1 })
  for (const idle of ['own_run', 'own_request', 'place_turn'])
    expect(ofOne).not.toHaveProperty(idle)

  const key = await addKey(desk.database.db, grace)
  const { id: ofKey } = await startRun(api, key.caller, task)
  await ask(ofKey, 'notes/b.md', 'notes/c.md')
  expect(await callsOf(db)).toMatchObject({ own_run: 1, place_turn: 1, place_opened_turns: 2 })
})
