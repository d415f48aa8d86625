import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { archiveRuns } from '#services/retention/archive-runs.ts'
import { loadTranscript } from '#services/transcript/load-transcript.ts'
import { ContentRemoved, getText, putContent } from '#store/content/content.ts'
import { dropReleased, forgetRemoved, releaseContent } from '#store/content/drop-content.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { exportOf } from '#test/harness/evidence/export-of.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { coverAudit, logSigner } from '#test/harness/fixtures/cover-audit.ts'
import { addEndedRun } from '#test/harness/fixtures/runs/ended-run.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { keepRetention } from './retention.ts'

const running = new AbortController().signal

const config = (retention: string): Record<string, string> => ({
  'countersign.yaml': `version: 1
teams: { platform: { members: [ada@example.com, grace@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
${retention}
`,
})

const desk = disposeAfterTests(await openAgentDesk())

const addRun = (path: string, words: string, daysAgo: number): Promise<string> =>
  addEndedRun(desk, { path, words, daysAgo })

async function allContents(): Promise<string> {
  const rows = await desk.database.db
    .selectFrom('content')
    .select('hash')
    .where('encoding', '<>', 'removed')
    .execute()
  const texts = await Promise.all(rows.map(({ hash }) => getText(desk.database.db, hash)))
  return texts.join('\n')
}

test('without the setting nothing is removed, however old, except delivered notifications; those given up stay', async () => {
  const { db } = desk.database
  await db.insertInto('endpoint').values({ name: 'webhook:ci', told_until: '0' }).execute()
  await sql`
    insert into delivery (id, endpoint, event_id, type, body, state, created_at)
      select gen_random_uuid(), 'webhook:ci', gen_random_uuid(), 'told', state, state, now() - days * interval '1 day'
      from unnest(array['pending', 'delivered', 'dead']) state, unnest(array[29, 31]) days
  `.execute(db)
  const runId = await addRun('notes/kept.md', 'the kept words', 400)
  await desk.activate(config(''))
  await keepRetention(desk.api, running)
  expect(JSON.stringify(await loadTranscript(desk.database.db, runId))).toContain('the kept words')
  expect(await db.selectFrom('cleared_run').selectAll().execute()).toEqual([])
  expect(await states()).toEqual(['dead', 'dead', 'delivered', 'pending', 'pending'])
  await desk.activate(config('retention: { records: 30d }'))
  await keepRetention(desk.api, running)
  expect(await states()).toEqual(['dead', 'delivered', 'pending', 'pending'])

  async function states(): Promise<string[]> {
    const rows = await db.selectFrom('delivery').select('state').orderBy('state').execute()
    return rows.map(({ state }) => state)
  }
})

test('the texts of runs that ended long ago are replaced by a note of time and rule; evidence and younger runs stay', async () => {
  const { db } = desk.database
  const shared = await addRun('notes/shared.md', 'the shared words', 100)
  const younger = await addRun('notes/shared-2.md', 'the shared words', 5)
  const old = await addRun('notes/old.md', 'the old words', 100)
  const hash = await putContent(db, 'a stream that was kept whole')
  const [call] = await desk.calls(old, 1)
  await db
    .insertInto('kept_stream')
    .values({ call_id: call?.id ?? '', hash })
    .execute()
  await desk.activate(config('retention: { transcripts: 90d }'))
  await keepRetention(desk.api, running)
  const text = JSON.stringify(await loadTranscript(db, old))
  expect(text).toMatch(/removed on \d{4}-\d\d-\d\d: retention transcripts: 90d/)
  expect(text).not.toContain('Done: the old words')
  expect(JSON.stringify(await loadTranscript(db, younger))).toContain('Done: the shared words')
  // An approved call is evidence, comments on it are not.
  const kept = await allContents()
  expect(kept).toContain('the old words\\n')
  expect(kept).not.toContain('Done: the old words')
  expect(kept).not.toContain('a stream that was kept whole')
  expect(kept).toContain('Done: the shared words')
  expect(await desk.auditTypes(shared)).toContain('content.erased')
  expect(await desk.auditTypes(younger)).not.toContain('content.erased')
  const event = await rowOf(db, 'audit_event', { type: 'content.erased', run_id: old })
  expect(JSON.parse(event.document)).toMatchObject({
    actor: { type: 'system', name: 'retention' },
    detail: { rule: 'transcripts: 90d', results: 1 },
  })
})

test('a second round finds nothing to do, and every verdict on the trail still holds', async () => {
  const { db } = desk.database
  const before = await db.selectFrom('audit_event').select('id').execute()
  await keepRetention(desk.api, running)
  expect(await db.selectFrom('audit_event').select('id').execute()).toHaveLength(before.length)
  await coverAudit(db)
  const { read } = await exportOf(db, logSigner, desk.api.verifier)
  const verdicts = verifyLog({ read }, logSigner.key, null)
  expect(verdicts.filter(({ outcome }) => outcome !== 'holds')).toEqual([])
})

test('no run loses its texts while a run of its tree has not ended, or ended lately', async () => {
  const { db } = desk.database
  const root = await addRun('notes/root.md', 'the words of the root', 200)
  const child = await addRun('notes/child.md', 'the words of the child', 5)
  await sql`update run set root_run_id = ${root} where id = ${child}`.execute(db)
  await keepRetention(desk.api, running)
  expect(JSON.stringify(await loadTranscript(db, root))).toContain('the words of the root')
})

test('records that have ended are removed in small steps; open ones, and those that the stream needs, stay', async () => {
  const { db } = desk.database
  await sql`
    insert into outbox (run_id, kind, payload, created_at, delivered_at)
      select null, 'signal_decided', '{}', now() - interval '40 days', now() from generate_series(1, 2500);
    `.execute(db)
  await sql`
    insert into outbox (run_id, kind, payload, created_at)
      values (null, 'signal_decided', '{"open": true}', now() - interval '40 days')
  `.execute(db)
  await sql`
    insert into event (id, sequence, type, subject, created_at)
      select gen_random_uuid(), 1000000 + n, 'run.changed', '{}', now() - interval '40 days'
      from generate_series(1, 3) n
  `.execute(db)
  await desk.activate(config('retention: { records: 30d }'))
  await keepRetention(desk.api, running)
  const old = sql<boolean>`created_at < now() - interval '30 days'`
  const rows = await db.selectFrom('outbox').select('payload').where(old).execute()
  expect(rows.map(({ payload }) => payload)).toEqual([{ open: true }])
  const events = await db.selectFrom('event').select('sequence').where(old).execute()
  expect(events.map(({ sequence }) => Number(sequence))).toEqual([1_000_003])
})

test('bytes that are stored again during or after their removal are there', async () => {
  const { db } = desk.database
  const forgotten = sql`update removed_content set removed_at = now() - interval '2 hours'`
  const once = await putContent(db, 'stored once')
  await db.transaction().execute((tx) => releaseContent(tx, [once]))
  expect(await dropReleased(db, { maxContents: 100 })).toMatchObject({ dropped: 1 })
  await expect(getText(db, once)).rejects.toThrow(ContentRemoved)
  await putContent(db, 'stored once')
  expect(await getText(db, once)).toBe('stored once')

  // Somebody who saw them there refers to them only after they went.
  const late = await putContent(db, '"stored late"')
  await db.transaction().execute((tx) => releaseContent(tx, [late]))
  await dropReleased(db, { maxContents: 100 })
  const { id } = await db.selectFrom('message').select('id').limit(1).executeTakeFirstOrThrow()
  await db.updateTable('message').set({ content_hash: late }).where('id', '=', id).execute()
  await forgotten.execute(db)
  expect(await forgetRemoved(db, { maxContents: 100 })).toBe(1)
  expect(await getText(db, late)).toBe('"stored late"')
  expect(await db.selectFrom('removed_content').selectAll().execute()).toEqual([])
})

test('bytes that are forgotten before their time are there for a row that began to refer to them', async () => {
  const { db } = desk.database
  const hash = await putContent(db, '"said by another too"')
  await db.transaction().execute((tx) => releaseContent(tx, [hash]))
  await dropReleased(db, { only: [hash] })
  const { id } = await db.selectFrom('message').select('id').limit(1).executeTakeFirstOrThrow()
  const referring = await holdLock(
    db,
    sql`update message set content_hash = ${hash} where id = ${id}`,
  )
  const forgetting = forgetRemoved(db, { only: [hash] })
  await Promise.race([forgetting, referring.waitedForBy(1)])
  await referring.release()
  expect(await forgetting).toBe(1)
  expect(await getText(db, hash)).toBe('"said by another too"')
})

test('bytes that a transaction has stored, and does not refer to yet, are there for its row', async () => {
  const { db } = desk.database
  const said = '"said twice"'
  const hash = await putContent(db, said)
  await db.transaction().execute((tx) => releaseContent(tx, [hash]))
  const { id } = await db.selectFrom('message').select('id').limit(1).executeTakeFirstOrThrow()
  const [isStored, isReferring] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const referring = db.transaction().execute(async (tx) => {
    await putContent(tx, said)
    isStored.resolve()
    await isReferring.promise
    await tx.updateTable('message').set({ content_hash: hash }).where('id', '=', id).execute()
  })
  await isStored.promise
  const waiting = await holdLock(db, sql`select`)
  const removal = dropReleased(db, { only: [hash] }).then(() => forgetRemoved(db, { only: [hash] }))
  await Promise.race([removal, waiting.waitedForBy(1)])
  await waiting.release()
  isReferring.resolve()
  await Promise.all([referring, removal])
  expect(await getText(db, hash)).toBe(said)
})

test('content that is released again during a round is examined again, and nobody waits for content in use', async () => {
  const { db } = desk.database
  const { id } = await db.selectFrom('message').select('id').limit(1).executeTakeFirstOrThrow()
  const refer = (hash: string) =>
    db.updateTable('message').set({ content_hash: hash }).where('id', '=', id).execute()
  const [inUse, rare, other] = [
    await putContent(db, '"in use"'),
    await putContent(db, '"rare"'),
    await putContent(db, '"other"'),
  ]
  await refer(inUse)
  const release = (hashes: string[]) => db.transaction().execute((tx) => releaseContent(tx, hashes))
  await release([inUse, rare])
  const held = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  const holder = db.transaction().execute(async (tx) => {
    await sql`select from content where hash = ${rare} for key share`.execute(tx)
    holding.resolve()
    await held.promise
  })
  await holding.promise
  const look = dropReleased(db, { maxContents: 100 })
  await waitUntil(async () => {
    const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `.execute(db)
    return rows.length > 0
  })
  // A message that refers to contents in use does not wait for the search for references.
  await sql`select from content where hash = ${inUse} for key share nowait`.execute(db)
  await refer(other)
  await release([inUse])
  held.resolve()
  await holder
  expect(await look).toMatchObject({ looked: 2, dropped: 1 })
  expect(await getText(db, inUse)).toBe('"in use"')
  expect(await dropReleased(db, { maxContents: 100 })).toMatchObject({ looked: 1, dropped: 1 })
})

test('a transaction that releases content waits for no other released content', async () => {
  const { db } = desk.database
  const [before, named] = [await putContent(db, 'let go before'), await putContent(db, 'wanted')]
  await db.transaction().execute((tx) => releaseContent(tx, [before, named]))
  expect(await dropReleased(db, { only: [named] })).toMatchObject({ looked: 1, dropped: 1 })
  expect(await getText(db, before)).toBe('let go before')
  await expect(getText(db, named)).rejects.toThrow(ContentRemoved)
})

test('a run whose words are removed while an archive is read is in it whole or not at all, and the trail counts it', async () => {
  const [first, second] = [
    await addRun('notes/first.md', 'the words of the first', 300),
    await addRun('notes/second.md', 'the words of the second', 299),
  ]
  await sql`update run set ended_at = clock_timestamp() where id not in (${first}, ${second})`.execute(
    desk.database.db,
  )
  await desk.activate(config('rights: { readAudit: [platform] }\nretention: { transcripts: 90d }'))
  const before = new Date(Date.now() - 200 * 86_400_000).toISOString()
  const lines = await archiveRuns(desk.api, desk.people.grace.caller, { before })
  const archived = [(await lines.next()).value]
  await keepRetention(desk.api, running)
  for await (const line of lines) archived.push(line)
  expect(archived).toEqual([expect.stringContaining('Done: the words of the first')])
  const events = await trailOf(desk.database.db, {}, 'audit.exported')
  expect(events.at(-1)).toMatchObject({ detail: { runs: 1, leftOut: 1 } })
})
