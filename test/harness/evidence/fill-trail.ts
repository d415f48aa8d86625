import { writeRecords } from '#store/records/records.ts'
import type { Db } from '#store/database.ts'
import { sql } from 'kysely'
import { coverAudit } from '../fixtures/cover-audit.ts'

/**
 * Fills the trail up with refused sign-ins of a later hour, so that the log has whole tiles, and an
 * event that is inserted among the earlier ones is recognised as late.
 */
export async function fillTrail(db: Db, events: number): Promise<void> {
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
