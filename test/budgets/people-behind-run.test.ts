import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { principalsOfRun } from '#services/requests/people/principals-of-run.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { rowsReadBy } from './rows-read-by.ts'
import { oneConnection } from './context-on.ts'

const tables = ['run', 'message', 'audit_event', 'person', 'request']
const moreRuns = 60
/** For what a scan reads beside the row, such as older versions of it. */
const toleratedRows = 5

const desk = disposeAfterTests(await openAgentDesk())

/** A run with an open question, so that there are as many requests as runs. */
async function startAsking(): Promise<string> {
  desk.say({ calls: [{ tool: 'ask_person', input: { question: 'Which branch?' } }] })
  const { runId } = await desk.startTurn()
  return runId
}

it('finding the people behind a run reads as many rows whatever the number of runs and of people', async () => {
  await using db = oneConnection(desk.database.url)
  await desk.activate({
    'countersign.yaml': deskConfig,
    'workers/scribe.md': deskWorker.replace('zones:', 'tools: { ask_person: {} }\nzones:'),
  })
  // Autovacuum may analyse the tables at any moment, and then a table of one page is read whole.
  for (const name of tables) {
    await sql`alter table ${sql.table(name)} set (autovacuum_enabled = false)`.execute(db)
  }
  const runId = await startAsking()
  // The connection keeps a plan from the time when its tables were nearly empty.
  const once = () => rowsReadBy(db, tables, () => principalsOfRun(db, runId))
  const least = async () => {
    const counts = [await once(), await once(), await once()]
    return tables.map((name) => Math.min(...counts.map((count) => count[name]!)))
  }
  for (let round = 0; round < 6; round += 1) await principalsOfRun(db, runId)
  const few = await least()
  for (let count = 0; count < moreRuns; count += 1) await startAsking()
  await sql`insert into person (id, email, name)
    select gen_random_uuid(), 'person' || n || '@example.com', 'Somebody'
    from generate_series(1, 200) as n`.execute(desk.database.db)
  const many = await least()
  for (const [index, name] of tables.entries()) {
    expect(many[index], `rows of ${name}`).toBeLessThanOrEqual(few[index]! + toleratedRows)
  }
})
