import type { NoteSigner } from '#evidence/note/signed-note.ts'
import { cosignCheckpoint, cosignNewest } from './cosign-newest.ts'
import { fillTrail } from './fill-trail.ts'
import { noteSigner } from './fixed-log.ts'
import { openAuditDesk, type AuditDesk } from './audit-desk.ts'

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
