import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textOf } from '#evidence/bundle/log-files.ts'
import { leafHash } from '#evidence/merkle/tree-hash.ts'
import { formatCheckpoint, openCheckpoint } from '#evidence/note/checkpoint.ts'
import { formatNote, signText } from '#evidence/note/signed-note.ts'
import type { Verdict } from '#evidence/verify/findings/finding.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import { exportOf } from '#test/harness/evidence/export-of.ts'
import { tamperedVerdicts } from '#test/harness/evidence/tampered-verdicts.ts'
import { tamperings, trailTables } from '#test/harness/evidence/tamper.ts'
import { witnessedDesk, type WitnessedDesk } from '#test/harness/evidence/witnessed-desk.ts'

let auditDesk: WitnessedDesk

beforeAll(async () => {
  auditDesk = await witnessedDesk()
})
afterAll(() => auditDesk.desk[Symbol.asyncDispose]())

async function verify(since: string | null = null): Promise<readonly Verdict[]> {
  const { desk, signer, witness } = auditDesk
  const files = await exportOf(desk.database.db, signer, desk.api.verifier)
  return verifyLog(files, signer.key, since, { keys: [witness.key], count: 1 })
}

describe('a full export', () => {
  test('of an untouched trail holds in every verdict', async () => {
    const verdicts = await verify()
    expect(verdicts.flatMap(({ findings }) => findings)).toEqual([])
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array(6).fill('holds'))
  })

  test('with two signed trees of one size fails, although one of them is the tree that it has', async () => {
    const { desk, signer } = auditDesk
    const { files, read } = await exportOf(desk.database.db, signer, desk.api.verifier)
    const { size } = openCheckpoint(textOf(read('checkpoint')!, 'checkpoint'), signer.key)
    const body = { origin: signer.key.name, size, root: leafHash('another'), extensions: [] }
    const text = formatCheckpoint(body)
    const forked = formatNote({ text, signatures: [signText(text, signer)] })
    const checkpoints = Buffer.from(read('checkpoints/0.jsonl') ?? '')
    files.set('checkpoints/0.jsonl', Buffer.concat([checkpoints, lineOf(forked)]))
    const [integrity] = verifyLog({ read }, signer.key, null)
    expect(integrity?.findings[0]?.problem).toContain(`the checkpoint of ${size} events signed`)
  })

  test.each(['checkpoint', 'keys'])('whose %s is not UTF-8 fails', async (path) => {
    const { desk, signer } = auditDesk
    const { files, read } = await exportOf(desk.database.db, signer, desk.api.verifier)
    // A signature of somebody else, which verifiers pass over.
    const [start, end] = [Buffer.from('— x'), Buffer.from(' AAAAAAA=\n')]
    files.set(path, Buffer.concat([read(path)!, start, end]))
    expect(verifyLog({ read }, signer.key, null)[1]).toMatchObject({ outcome: 'holds' })
    files.set(path, Buffer.concat([read(path)!, start, Buffer.of(0xff), end]))
    const [, authenticity] = verifyLog({ read }, signer.key, null)
    expect(authenticity?.findings.map(({ problem }) => problem)).toContain(`${path} is not UTF-8`)
  })

  test.each(Object.keys(trailTables))('shows where %s was tampered with', async (table) => {
    for (const tampering of tamperings) {
      const { done, verdicts } = await tamperedVerdicts(auditDesk, { table, tampering, seed: 7 })
      const findings = verdicts.filter(({ outcome }) => outcome === 'fails').flatMap(placesOf)
      expect(done === null || findings.length > 0, done ?? '').toBe(true)
    }
  })

  test('whose log was cut off, or begins differently, does not continue a checkpoint that somebody kept', async () => {
    const { desk, signer } = auditDesk
    const { db } = desk.database
    const kept = (await readNewestCheckpoint(db))?.note ?? ''
    const first = await db
      .selectFrom('audit_checkpoint')
      .select('note')
      .orderBy('size')
      .executeTakeFirst()
    expect(freshness(await verify(first?.note))).toMatchObject({ outcome: 'holds' })
    const tx = await db.startTransaction().execute()
    try {
      for (const table of [
        'audit_leaf',
        'audit_tile',
        'audit_checkpoint',
        'audit_event',
        'permit',
        'run',
      ]) {
        await sql`alter table ${sql.table(table)} disable trigger all`.execute(tx)
      }
      // Everything that came after the first checkpoint is taken out, without a trace.
      await sql`
        delete from audit_checkpoint where size > (select min(size) from audit_checkpoint);
      `.execute(tx)
      await sql`delete from audit_event where id in (
        select event_id from audit_leaf where index >= (select max(size) from audit_checkpoint))`.execute(
        tx,
      )
      await sql`delete from audit_leaf where index >= (select max(size) from audit_checkpoint)`.execute(
        tx,
      )
      await sql`delete from audit_tile`.execute(tx)
      const files = await exportOf(tx, signer, desk.api.verifier)
      const verdicts = verifyLog(files, signer.key, kept)
      expect(freshness(verdicts)?.findings[0]?.problem).toContain('the log was cut off')
      expect(verifyLog(files, signer.key, null)[0]).toMatchObject({ outcome: 'holds' })
    } finally {
      await tx.rollback().execute()
    }
  })

  test('that lacks an older checkpoint still continues it, for anybody who kept it', async () => {
    const { desk, signer } = auditDesk
    const { db } = desk.database
    const first = await db
      .selectFrom('audit_checkpoint')
      .selectAll()
      .orderBy('size')
      .executeTakeFirstOrThrow()
    const tx = await db.startTransaction().execute()
    try {
      await sql`alter table audit_checkpoint disable trigger all`.execute(tx)
      await tx.deleteFrom('audit_checkpoint').where('size', '=', first.size).execute()
      const files = await exportOf(tx, signer, desk.api.verifier)
      const verdicts = verifyLog(files, signer.key, first.note)
      expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array(6).fill('holds'))
    } finally {
      await tx.rollback().execute()
    }
  })
})

function lineOf(note: string): Buffer {
  return Buffer.from(`${JSON.stringify(note)}\n`)
}

/** What findings are about: an event, a request, a file, or what was signed. */
function placesOf({ findings }: Verdict): string[] {
  return findings.map(({ event, requestId, problem }) => requestId ?? event?.id ?? problem)
}

function freshness(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.find(({ name }) => name === 'freshness')
}
