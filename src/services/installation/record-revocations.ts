import { sql } from 'kysely'
import type { AuditEventType } from '#domain/audit-event.ts'
import type { Revocation } from '#domain/statements/row-seals.ts'
import type { SystemContext } from '../core/context.ts'

/** The longest life of a session or permit: what was revoked before is over by itself. */
const since = sql`clock_timestamp() - interval '30 days'`

/** An event which says that something has ended for good. */
interface EndEvent {
  readonly type: AuditEventType
  readonly what: Revocation['what']
  /** the member of its detail that is the id */
  readonly named: string
  /** the only `change` that counts, if not every event does */
  readonly change?: string
}

const endings: readonly EndEvent[] = [
  { type: 'session.ended', what: 'session', named: 'sessionId' },
  { type: 'key.revoked', what: 'api_key', named: 'keyId' },
  { type: 'grant.revoked', what: 'grant', named: 'grantId' },
  { type: 'grant.ended', what: 'grant', named: 'grantId' },
  { type: 'permit.revoked', what: 'permit', named: 'permitId' },
  { type: 'credential.changed', what: 'person', named: 'personId', change: 'person_disabled' },
]

/**
 * Records in the ledger what the trail says has ended, where that is missing: an API was killed
 * between the commit and the record, its disk was full, or the API of another host ended it
 * (security.md 29). Returns how many were missing. It reads the trail, which the application's role
 * cannot change: the rows may have been put back by now.
 */
export async function recordRevocations(ctx: SystemContext): Promise<number> {
  const { revocations } = ctx.seals
  const { rows } = await sql<Revocation>`
    select distinct ending.what, document::jsonb -> 'detail' ->> ending.named as id
    from jsonb_to_recordset(${JSON.stringify(endings)}::jsonb)
      as ending(type text, what text, named text, change text)
    join audit_event on audit_event.type = ending.type and audit_event.at > ${since}
    where document::jsonb -> 'detail' ->> ending.named is not null
      and (ending.change is null or document::jsonb -> 'detail' ->> 'change' = ending.change)
  `.execute(ctx.db)
  const missing = rows.filter((one) => !revocations.has(one))
  await revocations.add(missing)
  return missing.length
}
