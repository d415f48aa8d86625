import { sql } from 'kysely'
import { formatHandover } from '#evidence/note/handover.ts'
import { formatVerifierKey, parseVerifierKey } from '#evidence/note/note-key.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import type { Db } from '#store/database.ts'
import { storeLogKey, readLogKey } from '#store/installation-keys.ts'
import { writeRecords } from '#store/records/records.ts'
import { appendHandover, leavesAtOnce, type HandoverSigners } from './append-to-log.ts'

/**
 * Hands the log over to another key, once: the event `key.created`, everything that waits, a
 * checkpoint that both keys sign and the note that says so, in one transaction. Without `before`
 * only the new key signs it, which a verification reports. Rejects, and changes nothing, when the
 * tree is not what its newest checkpoint signed.
 */
export async function handOverLog(
  db: Db,
  signers: HandoverSigners & { readonly keyId: string },
): Promise<void> {
  const { after, before, keyId } = signers
  const vkey = formatVerifierKey(after.key)
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.auditSequencer})`.execute(tx)
    const inForce = await readLogKey(tx)
    if (inForce?.vkey === vkey) return
    if (before !== null && inForce !== null && inForce.vkey !== formatVerifierKey(before.key)) {
      throw new Error(`The log is signed with ${inForce.vkey}: its key alone can hand it over`)
    }
    const audited = {
      type: 'key.created',
      actor: { type: 'system' },
      channel: 'system',
      detail: {
        kind: 'log',
        keyId,
        vkey,
        previous: inForce?.vkey ?? null,
        vouched: before !== null,
      },
    } as const
    await writeRecords(tx, { audit: [audited] }, null)
    while ((await appendHandover(tx, signers)) === leavesAtOnce);
    const size = (await readNewestCheckpoint(tx))?.size ?? 0
    const previous = inForce === null ? (before?.key ?? null) : parseVerifierKey(inForce.vkey)
    const handover = formatHandover({ size, before: previous }, { after, before })
    if (!(await storeLogKey(tx, { keyId, vkey, handover }))) {
      throw new Error(`The log was signed with ${vkey} before: a key can take over only once`)
    }
  })
}
