import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { DeliveredMarks } from '#delivery/outbox/lease-rows.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { openProgramDesk } from '#services/external/external.fixture.ts'
import { openExternal } from '#services/external/open-external.ts'
import { prepareTurn } from '#services/engine/turns/prepare-turn.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { lengthenRun } from '../harness/fixtures/runs/long-run.ts'
import { contextOn, oneConnection } from './context-on.ts'
import { rowsReadBy } from './rows-read-by.ts'

/** So many that they fill several pages of each table. */
const moreRequests = 150
/** For what a scan reads beside the row, such as older versions of it. */
const toleratedRows = 10

const tables = [
  'request',
  'request_revision',
  'request_principal',
  'external_request',
  'decision',
  'permit',
  'outbox',
]

/**
 * The smallest of several counts for each table: the counts are of all connections, and another one
 * may add what it read before at any moment.
 */
function leastOf(counts: readonly Record<string, number>[]): Record<string, number> {
  const names = Object.keys(counts[0]!)
  return Object.fromEntries(
    names.map((name) => [name, Math.min(...counts.map((one) => one[name]!))]),
  )
}

function expectNoMore(now: Record<string, number>, before: Record<string, number>): void {
  for (const table of Object.keys(before)) {
    expect(now[table], `rows of ${table}`).toBeLessThanOrEqual(before[table]! + toleratedRows)
  }
}

// The connection keeps the plans that it made while its tables were nearly empty.
it.each([
  ['', false],
  // Autovacuum may do so at any moment, and is off here: then a table of one page is cheapest to
  // read whole.
  [', also if its tables were analysed while they were small', true],
] as const)(
  "deciding a program's request reads as many rows whatever the number of requests%s",
  async (_, isAnalysed) => {
    await using desk = await openProgramDesk()
    const { databaseUrl: url, service, program, linus } = desk
    await using db = oneConnection(url)
    for (const name of tables) {
      await sql`alter table ${sql.table(name)} set (autovacuum_enabled = false)`.execute(db)
    }
    const ctx = { ...service.ctx, db }
    const marks = new DeliveredMarks(db)
    let rounds = 0
    const oneRound = async () => {
      rounds += 1
      const { id, digest, presentation } = await desk.ask({ externalId: `decided-${rounds}` })
      const seen = presentation.digest
      const body = { decision: 'approve', digest, revision: 1, reason: 'looked', seen, again: true }
      const deciding = await rowsReadBy(db, tables, () =>
        decideRequest(ctx, linus.caller, { request: id, body }),
      )
      const { rows } = await sql<{ id: string; kind: string }>`
      select id, kind from outbox where run_id = ${id}::uuid`.execute(service.db)
      expect(rows).toHaveLength(2)
      const delivering = await rowsReadBy(db, tables, () => marks.mark(rows))
      const call = { tool: 'deploy', input: {}, externalId: `opened-${rounds}` }
      const opening = await rowsReadBy(db, tables, () => openExternal(ctx, program.caller, call))
      return { deciding, delivering, opening }
    }
    const round = async () => {
      const all = [await oneRound(), await oneRound(), await oneRound()]
      return {
        deciding: leastOf(all.map(({ deciding }) => deciding)),
        delivering: leastOf(all.map(({ delivering }) => delivering)),
        opening: leastOf(all.map(({ opening }) => opening)),
      }
    }
    for (let count = 0; count < 2; count += 1) await round()
    if (isAnalysed) await sql`analyze`.execute(db)
    const withFew = await round()
    const more = []
    for (let index = 0; index < moreRequests; index += 1) {
      more.push(await desk.ask({ externalId: `more-${index}` }))
    }
    const withManyWaiting = await round()
    expectNoMore(withManyWaiting.deciding, withFew.deciding)
    for (const { id } of more) await desk.decide(await desk.read(id), 'approve')
    const withManyDecided = await round()
    expectNoMore(withManyDecided.deciding, withFew.deciding)
    // Other transactions follow what Postgres knows of the sizes.
    if (isAnalysed) return
    expectNoMore(withManyWaiting.delivering, withFew.delivering)
    expectNoMore(withManyDecided.delivering, withFew.delivering)
    // An opening counts what of its owner waits.
    expectNoMore(withManyDecided.opening, withFew.opening)
  },
)

const moreRuns = 300
/** A turn looks at no more runs of its worker than these, for what their calls did. */
const runsOfWorker = 100
const tablesOfTurns = [
  'content',
  'message',
  'request',
  'request_revision',
  'run',
  'run_lineage',
  'tool_call',
  'turn_attempt',
]

it.each([
  [
    'preparing a turn, a turn whose calls ask, and the last turn of a run read',
    '',
    { isAnalysed: false, kinds: ['preparing', 'asking', 'ending'] },
  ],
  // What taking a turn reads in other transactions follows what Postgres knows of the sizes.
  [
    'preparing a turn reads',
    ', also if its tables were analysed while they were small',
    { isAnalysed: true, kinds: ['preparing'] },
  ],
] as const)(
  '%s as many rows whatever the number of runs%s',
  async (_kinds, _when, { isAnalysed, kinds }) => {
    await using desk = await openAgentDesk()
    const { url } = desk.database
    await using db = oneConnection(url)
    for (const name of tablesOfTurns) {
      await sql`alter table ${sql.table(name)} set (autovacuum_enabled = false)`.execute(db)
    }
    const worker = contextOn(db, desk.worker)
    let runs = 0
    const startAsking = async () => {
      runs += 1
      const runId = await desk.start({ input: `Write note ${runs}` })
      const calls = [1, 2].map((index) => ({
        tool: 'write_file',
        input: { path: `notes/${runs}-${index}.md`, content: `${runs}\n` },
      }))
      desk.say({ text: `I write note ${runs}.`, calls })
      return runId
    }
    const { signal } = new AbortController()
    const oneRound = async () => {
      const asks = await startAsking()
      const preparing = await rowsReadBy(db, tablesOfTurns, () =>
        prepareTurn(worker, { runId: asks, turn: 1 }),
      )
      const asking = await rowsReadBy(db, tablesOfTurns, () =>
        takeTurn(worker, { runId: asks, turn: 1, signal }),
      )
      const ends = await desk.start({ input: `Say ${(runs += 1)}` })
      desk.say({ text: `Done ${runs}.` })
      const ending = await rowsReadBy(db, tablesOfTurns, () =>
        takeTurn(worker, { runId: ends, turn: 1, signal }),
      )
      return { preparing, asking, ending }
    }
    const round = async () => {
      const all = [await oneRound(), await oneRound(), await oneRound()]
      return {
        preparing: leastOf(all.map(({ preparing }) => preparing)),
        asking: leastOf(all.map(({ asking }) => asking)),
        ending: leastOf(all.map(({ ending }) => ending)),
      }
    }
    for (let count = 0; count < 2; count += 1) await round()
    if (isAnalysed) await sql`analyze`.execute(db)
    const withFew = await round()
    const long = await desk.start()
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/long.md', content: '-' } }] })
    await desk.turn(long, 1)
    await lengthenRun(desk.database.db, long, 150)
    await sql`
      with many as (
        insert into run (id, root_run_id, worker, worker_digest, policy_digest, mode, title,
          input_digest, started_by, workflow_id, task_queue, epoch, signature, key_id)
        select md5(n::text)::uuid, md5(n::text)::uuid, worker, worker_digest, policy_digest, mode,
          title, input_digest, started_by, 'many-' || n, task_queue, epoch, signature, key_id
        from run, generate_series(1, ${moreRuns}::integer) n where id = ${long}::uuid returning id
      )
      insert into run_lineage (run_id, ancestor_id, depth) select id, id, 0 from many
    `.execute(desk.database.db)
    const withMany = await round()
    for (const kind of kinds) {
      const now = withMany[kind]
      const others = kind === 'preparing' ? 0 : runsOfWorker
      expectNoMore({ ...now, run: now['run']! - others }, withFew[kind])
    }
  },
)
