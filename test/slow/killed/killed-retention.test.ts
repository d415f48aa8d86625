import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql, type RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { loadTranscript } from '#services/transcript/load-transcript.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import { getText } from '#store/content/content.ts'
import { exportOf } from '../../harness/evidence/export-of.ts'
import { openAgentDesk, type AgentDesk } from '../../harness/fixtures/agent-desk.ts'
import { coverAudit, logSigner } from '../../harness/fixtures/cover-audit.ts'
import { addEndedRun } from '../../harness/fixtures/runs/ended-run.ts'
import { waitUntil } from '../../harness/wait-until.ts'

const sweeping = fileURLToPath(new URL('sweeping-process.ts', import.meta.url))
const due = 60
const within = { withinMs: 120_000 }

/** A run with a file of its own: with the words of another in it, it would ask nobody. */
const addRun = (desk: AgentDesk, index: number, daysAgo: number): Promise<string> =>
  addEndedRun(desk, {
    path: `notes/${index}-${daysAgo}.md`,
    words: `the words of ${index % 20}`,
    daysAgo,
  })

/**
 * Starts a sweep, to its end; with a row held that it needs, it is killed once it waits for that.
 */
async function sweep(desk: AgentDesk, held: RawBuilder<unknown> | null): Promise<boolean> {
  const { db, url } = desk.database
  // One that was killed has its connection, and its lock, until the server notices.
  await waitUntil(async () => (await sessions(db)) === 0, within)
  let output = ''
  const start = () => {
    const child = spawn(process.execPath, [sweeping, url], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    return { child, ended: once(child, 'close') }
  }
  if (held === null) await start().ended
  else {
    // Who holds a connection asks for no other of the same pool.
    const watching = connectDatabase({ url, poolSize: 1, applicationName: 'watching' })
    await db.transaction().execute(async (tx) => {
      await sql`select from ${held} for update`.execute(tx)
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      const { child, ended } = start()
      await waitUntil(
        async () => (await sessions(watching, rows[0]?.pid)) > 0 || 'it waits for nothing',
        within,
      )
      child.kill('SIGKILL')
      await ended
    })
    await watching.destroy()
  }
  return output.includes('swept')
}

/**
 * How many connections a sweep has; with a `blocker`, how many that connection blocks. A sweep also
 * waits for others, such as an autovacuum.
 */
async function sessions(db: Db, blocker: number | null = null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from pg_stat_activity where datname = current_database()
      and application_name = 'sweeping'
      and (${blocker}::int is null or ${blocker} = any(pg_blocking_pids(pid)))
  `.execute(db)
  return rows[0]?.count ?? 0
}

async function cleared({ database }: AgentDesk): Promise<string[]> {
  const rows = await database.db.selectFrom('cleared_run').select('run_id').execute()
  return rows.map((row) => row.run_id)
}

async function transcriptOf({ database }: AgentDesk, runId: string): Promise<string> {
  return JSON.stringify(await loadTranscript(database.db, runId))
}

test('a sweep that is killed again and again loses nothing that is to stay, is gone on with to its end, and the trail verifies', async () => {
  await using desk = await openAgentDesk()
  const { db } = desk.database
  const old: string[] = []
  for (let index = 0; index < due; index += 1) old.push(await addRun(desk, index, 100 + index))
  const young = [await addRun(desk, 3, 5), await addRun(desk, 4, 89)]
  await sql`
    insert into outbox (kind, payload, created_at, delivered_at)
      select 'signal_decided', '{}', now() - interval '40 days', now() from generate_series(1, 5000)
  `.execute(db)
  const before = new Map<string, string>()
  for (const runId of [...old, ...young]) before.set(runId, await transcriptOf(desk, runId))

  // Oldest first: so many have lost their words when it comes to the run that is held, and the
  // outbox is swept.
  for (const done of [0, 1, 25, due - 1]) {
    expect(await sweep(desk, sql`run where id = ${old[due - 1 - done]}`)).toBe(false)
    const gone = new Set(await cleared(desk))
    expect(gone.size).toBe(done)
    // Whole or gone: no run has lost a part of its words, or all of them without their event.
    for (const runId of old) {
      const now = await transcriptOf(desk, runId)
      const events = (await desk.auditTypes(runId)).filter((type) => type === 'content.erased')
      expect(events).toHaveLength(gone.has(runId) ? 1 : 0)
      if (gone.has(runId)) expect(now).not.toContain('Done: the words')
      else expect(now).toBe(before.get(runId))
    }
  }
  // All have lost their words, whose bytes are there still.
  const some = sql`content where hash in (select max(hash) from released_content)`
  expect(await sweep(desk, some)).toBe(false)
  expect(await cleared(desk)).toHaveLength(due)
  expect(await db.selectFrom('removed_content').selectAll().execute()).toEqual([])
  expect(await sweep(desk, null)).toBe(true)
  expect(await db.selectFrom('removed_content').selectAll().execute()).not.toEqual([])

  expect((await cleared(desk)).toSorted()).toEqual(old.toSorted())
  for (const runId of young) expect(await transcriptOf(desk, runId)).toBe(before.get(runId))
  expect(await db.selectFrom('released_content').selectAll().execute()).toEqual([])
  const { rows: outbox } =
    await sql`select from outbox where created_at < now() - interval '30 days'`.execute(db)
  expect(outbox).toEqual([])
  // What was approved stays readable.
  const rows = await db.selectFrom('request_revision').select('content_hash').execute()
  for (const { content_hash: hash } of rows) expect(await getText(db, hash)).toContain('words of')
  await coverAudit(db)
  const verdicts = verifyLog(await exportOf(db, logSigner, desk.api.verifier), logSigner.key, null)
  expect(verdicts.filter(({ outcome }) => outcome !== 'holds')).toEqual([])
})
