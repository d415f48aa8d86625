import { type NoteSigner, formatSignature, parseNote } from '#evidence/note/signed-note.ts'
import { noteSigner } from './fixed-log.ts'
import { openAuditDesk, type AuditDesk } from './audit-desk.ts'
import { writeRecords } from '#store/records/records.ts'
import type { Db } from '#store/database.ts'
import { sql } from 'kysely'
import { coverAudit } from '../fixtures/cover-audit.ts'
import { cosign } from '#evidence/note/cosignature.ts'
import { keyLabel } from '#evidence/note/note-key.ts'
import { readNewestCheckpoint, type StoredCheckpoint } from '#store/audit/audit-log.ts'
import { leaseWitness, releaseWitness, writeCosignature } from '#store/audit/witnesses.ts'

/**
 * An audit desk whose log has whole tiles, and a witness that cosigned its first and its newest
 * checkpoint.
 */
export interface WitnessedDesk extends AuditDesk {
  readonly witness: NoteSigner
}

/** Opens an audit desk, adds events of a later hour, and has both ends of the log cosigned. */
export async function witnessedDesk(): Promise<WitnessedDesk> {
  const auditDesk = await openAuditDesk()
  const { db } = auditDesk.desk.database
  const witness = noteSigner('witness.example', 'cosignature')
  const first = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note'])
    .orderBy('size')
    .executeTakeFirstOrThrow()
  await cosignCheckpoint(db, { size: Number(first.size), note: first.note }, witness, 'office')
  await fillTrail(db, 600)
  await cosignNewest(db, witness)
  return { ...auditDesk, witness }
}

/**
 * Fills the trail up with refused sign-ins of a later hour, so that the log has whole tiles, and an
 * event that is inserted among the earlier ones is recognised as late.
 */
async function fillTrail(db: Db, events: number): Promise<void> {
  const entry = {
    type: 'session.refused',
    actor: { type: 'system' },
    channel: 'api',
    detail: { reason: 'unknown' },
  } as const
  await db.transaction().execute(async (tx) => {
    await writeRecords(tx, { audit: Array.from({ length: events }, () => entry) }, null)
    await sql`alter table audit_event disable trigger audit_event_append_only`.execute(tx)
    await sql`
      update audit_event set at = at + interval '1 hour',
        document = replace(document, document::jsonb ->> 'at',
          to_char((at + interval '1 hour') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      where type = 'session.refused'
    `.execute(tx)
    await sql`alter table audit_event enable always trigger audit_event_append_only`.execute(tx)
  })
  await coverAudit(db)
}

/**
 * Has the witness `office` cosign the newest checkpoint, as the relay does when it answers. Returns
 * the checkpoint's size.
 */
export async function cosignNewest(db: Db, witness: NoteSigner): Promise<number> {
  const newest = await readNewestCheckpoint(db)
  if (newest === null) throw new Error('There is no checkpoint')
  await cosignCheckpoint(db, newest, witness, 'office')
  return newest.size
}

/**
 * Has a witness cosign a checkpoint, and keeps its answer as the relay does. `name`: the witness'
 * in the configuration.
 */
async function cosignCheckpoint(
  db: Db,
  { size, note }: StoredCheckpoint,
  witness: NoteSigner,
  name: string,
): Promise<void> {
  const cosignedAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  const id = keyLabel(witness.key)
  const line = formatSignature(cosign(parseNote(note).text, witness, cosignedAt.getTime() / 1000))
  await leaseWitness(db, { id, name }, { leaseMs: 60_000, maxAheadMs: 60_000 })
  await writeCosignature(db, { size, id, line, cosignedAt })
  await releaseWitness(db, id, { pauseMs: 0, problem: null, isContradicted: false })
}
