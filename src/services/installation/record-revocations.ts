import { sql, type RawBuilder } from 'kysely'
import type { AuditEventType } from '#domain/audit-event.ts'
import type { Revocation } from '#domain/statements/row-seals.ts'
import { eventDocument, eventInstant } from '#store/audit/event-document.ts'
import type { SystemContext } from '../core/context.ts'

/** The longest life of a session or permit: what ended earlier has expired by now anyway. */
const since = sql`clock_timestamp() - interval '30 days'`

/** An event which says that something has ended for good. */
interface EndEvent {
  readonly type: AuditEventType
  readonly what: Revocation['what']
  /** the member of its detail that is the id, or a list of ids */
  readonly named: string
  /** the only `change` that counts, if not every event does */
  readonly change?: string
  /** the member of its detail that is the time from which on it has ended; absent: at once */
  readonly from?: string
  /** it would expire within 30 days anyway */
  readonly isShort?: true
}

const endings: readonly EndEvent[] = [
  { type: 'session.ended', what: 'session', named: 'sessionId', isShort: true },
  { type: 'permit.revoked', what: 'permit', named: 'permitId', isShort: true },
  { type: 'grant.ended', what: 'grant', named: 'grantId', isShort: true },
  { type: 'grant.revoked', what: 'grant', named: 'grantId' },
  { type: 'key.revoked', what: 'api_key', named: 'keyId' },
  { type: 'key.created', what: 'key_secret', named: 'endedSecretHash' },
  { type: 'key.created', what: 'key_secret', named: 'previousSecretHash', from: 'previousUntil' },
  { type: 'key.created', what: 'api_key_proposal', named: 'proposalId' },
  { type: 'policy.withdrawn', what: 'policy_proposal', named: 'proposalId', isShort: true },
  { type: 'policy.activated', what: 'policy_proposal', named: 'proposalId', isShort: true },
  ...credential('api_key_proposal', 'proposalId', 'key_declined', 'key_withdrawn'),
  ...credential('person', 'personId', 'person_disabled'),
  ...credential('membership', 'membershipIds', 'membership_ended'),
  ...credential('credential', 'credentialId', 'passkey_removed'),
  ...credential('identity', 'accountIds', 'identity_unlinked'),
  ...credential('slack_link', 'linkId', 'slack_unlinked'),
  ...credential('push_subscription', 'deviceId', 'push_removed'),
]

function credential(
  what: Revocation['what'],
  named: string,
  ...changes: readonly string[]
): EndEvent[] {
  return changes.map((change) => ({ type: 'credential.changed', what, named, change }))
}

/**
 * Records in the ledger what has ended according to the trail, if the ledger does not have it. That
 * happens if an API was killed between the commit and the record, if its disk was full, or if the
 * API of another host ended it (security.md 29). Returns how many were missing. It reads the trail,
 * of which the application's role can change no event: the rows may have been put back by now. For
 * a proposal that an earlier version ended, which recorded less, it reads the row.
 */
export async function recordRevocations(ctx: SystemContext): Promise<number> {
  const { revocations } = ctx.seals
  const { rows } = await revocationsInTrail().execute(ctx.db)
  const missing = rows.filter((one) => !revocations.has(one))
  await revocations.add(missing)
  return missing.length
}

/**
 * The query for what has ended. It names the types of events, so that Postgres reads their parts of
 * an index and not the trail. No position from the last start bounds it: the rows that order the
 * events, and their times, can be wrong, and an end that is skipped is forgotten. An event that the
 * service did not write may have any text.
 */
function revocationsInTrail(): RawBuilder<Revocation & { readonly from: Date | null }> {
  return sql`
    with event as materialized (
      select type, ${eventDocument} -> 'detail' as detail from audit_event
      where type in (${sql.join(typesOf(({ isShort }) => isShort !== true))})
        or type in (${sql.join(typesOf(({ isShort }) => isShort === true))}) and at > ${since}
    )
    select ending.what, named.id, case when bool_and(detail ->> ending."from" is not null)
      then min(${eventInstant(sql`detail ->> ending."from"`)}) end as "from"
    from jsonb_to_recordset(${JSON.stringify(endings)}::jsonb)
        as ending(type text, what text, named text, change text, "from" text)
      join event on event.type = ending.type
      cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(detail -> ending.named)
          when 'array' then detail -> ending.named
          when 'string' then jsonb_build_array(detail -> ending.named)
          else '[]' end) as named(id)
    where ending.change is null or detail ->> 'change' = ending.change
    group by ending.what, named.id
    union
    select 'policy_proposal', id::text, null from policy_proposal
    where state <> 'open' and expires_at > clock_timestamp()
  `
}

function typesOf(isWanted: (ending: EndEvent) => boolean): readonly string[] {
  return [...new Set(endings.filter(isWanted).map(({ type }) => type))]
}
