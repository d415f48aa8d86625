import { sql } from 'kysely'
import type { Revocation } from '#domain/statements/row-seals.ts'
import type { SystemContext } from '../core/context.ts'

/** The longest life of a session or permit: what was revoked before is over by itself. */
const since = sql`clock_timestamp() - interval '30 days'`

/** Of the changes of credentials, those that disabled a person. */
const ofDisabled = sql`and document::jsonb -> 'detail' ->> 'change' = 'person_disabled'`
const none = sql``

/** The events of what has ended for good, and the member of their detail that names it. */
const endings = [
  { type: 'session.ended', what: 'session', named: 'sessionId' },
  { type: 'key.revoked', what: 'api_key', named: 'keyId' },
  { type: 'grant.revoked', what: 'grant', named: 'grantId' },
  { type: 'grant.ended', what: 'grant', named: 'grantId' },
  { type: 'permit.revoked', what: 'permit', named: 'permitId' },
  { type: 'credential.changed', what: 'person', named: 'personId' },
] as const

/**
 * Records in the ledger what the trail says has ended, where that is missing: an API was killed
 * between the commit and the record, its disk was full, or the API of another host ended it
 * (security.md 29). Returns how many were missing. It reads the trail, which the application's role
 * cannot change: the rows may have been put back by now.
 */
export async function recordRevocations(ctx: SystemContext): Promise<number> {
  const { revocations } = ctx.seals
  const ids = await Promise.all(
    endings.map(async ({ type, what, named }) => {
      const { rows } = await sql<{ id: string | null }>`
        select distinct document::jsonb -> 'detail' ->> ${named} as id
        from audit_event where type = ${type} and at > ${since} ${what === 'person' ? ofDisabled : none}`.execute(
        ctx.db,
      )
      return rows.flatMap(({ id }): Revocation[] => (id === null ? [] : [{ what, id }]))
    }),
  )
  const missing = ids.flat().filter((one) => !revocations.has(one))
  await revocations.add(missing)
  return missing.length
}
