import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { coverAudit } from '#test/harness/fixtures/cover-audit.ts'
import { exportOf } from '#test/harness/evidence/export-of.ts'
import { openAuditDesk, type AuditDesk } from '#test/harness/evidence/audit-desk.ts'
import { installClock, shiftClock } from '#test/harness/evidence/shifted-clock.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { closeRun } from '../../engine/lifecycle/close-run.ts'
import { putFiles } from '#test/harness/put-file.ts'

const command = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'countersign')

let auditDesk: AuditDesk
let folder = ''
beforeAll(async () => {
  folder = newFolder('countersign-clock-')
  auditDesk = await openAuditDesk()
  const { db } = auditDesk.desk.database
  await installClock(auditDesk.desk.database)
  await approvedRun('notes/ahead.md', () => shiftClock(db, 240))
  await approvedRun('notes/back.md', () => shiftClock(db, 0))
  for (const name of ['one', 'two', 'three']) await approvedRun(`notes/${name}.md`)
  await coverAudit(db)
})
afterAll(() => auditDesk.desk[Symbol.asyncDispose]())

/** A request that two people decide and that is carried out; `meanwhile` runs before. */
async function approvedRun(path: string, meanwhile?: () => Promise<void>): Promise<void> {
  const { desk } = auditDesk
  desk.say({ text: 'I write.', calls: [{ tool: 'write_file', input: { path, content: path } }] })
  const { runId, turn } = await desk.startTurn()
  await coverAudit(desk.database.db)
  await meanwhile?.()
  const [call] = await desk.calls(runId, 1)
  await desk.decide(desk.people.grace, call?.requestId ?? '')
  const { id, name } = await rowOf(desk.database.db, 'person', { email: 'linus@example.com' })
  const linus = { id, name, caller: { actor: { type: 'person', id, name }, channel: 'dashboard' } }
  await desk.decide(linus as typeof desk.people.grace, call?.requestId ?? '')
  await desk.perform(turn)
  desk.say({ text: 'Done.' })
  await desk.turn(runId, 2)
  await closeRun(desk.api, { runId })
  await coverAudit(desk.database.db)
}

async function verdictsNow() {
  const { desk, signer } = auditDesk
  const files = await exportOf(desk.database.db, signer, desk.api.verifier)
  return verifyLog(files, signer.key, null)
}

test('a clock that was ahead for a while is one warning, and the trail verifies', async () => {
  const verdicts = await verdictsNow()
  expect(verdicts.flatMap(({ findings }) => findings)).toEqual([])
  expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'holds'))
  const warnings = verdicts.flatMap((verdict) => verdict.warnings)
  expect(warnings).toEqual([
    expect.objectContaining({
      kind: 'clock',
      problem: expect.stringMatching(
        /^the service's clock was ahead by (?:3 h 5\d min|4 h 0 min) or more/,
      ),
    }),
  ])
})

test('audit verify says so in one line, and ends with 0', async () => {
  const { desk, signer } = auditDesk
  const { files } = await exportOf(desk.database.db, signer, desk.api.verifier)
  putFiles(folder, files)
  const args = [command, 'audit', 'verify', folder, '--key', formatVerifierKey(signer.key)]
  const out = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
  expect(out.split('\n').filter((line) => line.includes('clock'))).toEqual([
    expect.stringMatching(/^ {2}warning \(clock\): the service's clock was ahead by /),
  ])
})

test('a changed instant, and an inserted event, are found beside it', async () => {
  const { db } = auditDesk.desk.database
  const tx = await db.startTransaction().execute()
  try {
    await sql`alter table audit_event disable trigger all`.execute(tx)
    await sql`
      update audit_event set document = replace(document, document::jsonb ->> 'at', '2026-01-01T00:00:00.000Z')
      where id = (select event_id from audit_leaf where index = 5)
    `.execute(tx)
    const changed = await exportOf(tx, auditDesk.signer, auditDesk.desk.api.verifier)
    const verdicts = verifyLog(changed, auditDesk.signer.key, null)
    expect(verdicts.find(({ name }) => name === 'integrity')?.outcome).toBe('fails')
  } finally {
    await tx.rollback().execute()
  }
  await sql`
    insert into audit_event (id, at, type, actor_type, document)
    select id, at, 'session.refused', 'system', jsonb_build_object('id', id, 'at', text, 'type', 'session.refused',
      'actor', jsonb_build_object('type', 'system'), 'channel', 'api', 'detail', '{}'::jsonb)::text
    from (select gen_random_uuid() as id, now() - interval '2 days' as at,
      to_char(now() at time zone 'UTC' - interval '2 days', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as text) as forged
  `.execute(db)
  await approvedRun('notes/after.md')
  const found = (await verdictsNow()).flatMap(({ findings }) => findings)
  expect(found.map(({ problem }) => problem)).toContainEqual(
    expect.stringContaining('it was put in afterwards'),
  )
})
