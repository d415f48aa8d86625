import { sql } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import type { Db } from '#store/database.ts'

/** The subjects of the events in a bundle about a request. */
export interface EventsAbout {
  /** the request, and the others about the same call */
  readonly requestIds: readonly string[]
  /** the run and those above it */
  readonly runIds: readonly string[]
  readonly events: readonly { readonly id: string; readonly document: string }[]
}

/**
 * The events that a verifier needs to judge a request. They are about the requests for its call,
 * the call itself, the runs above it, and the grants that the call used. They are about the people
 * who decided it, with their credentials. They are about the policies that judged it, with their
 * proposals, activations and pins for the workers of those runs.
 */
export async function readEventsAbout(db: Db, requestId: string): Promise<EventsAbout> {
  const requests = await sql<{ id: string; callId: string | null; runId: string | null }>`
    select other.id, other.call_id as "callId", other.run_id as "runId"
    from request join request as other on other.id = request.id or other.call_id = request.call_id
    where request.id = ${requestId}
  `.execute(db)
  const requestIds = requests.rows.map(({ id }) => id)
  const [first] = requests.rows
  const lineage = await sql<{ id: string }>`
    select ancestor_id as id from run_lineage where run_id = ${first?.runId ?? null}::uuid
  `.execute(db)
  const runIds = lineage.rows.map(({ id }) => id)
  const { rows } = await sql<{ id: string; document: string }>`
    with own as (
      select id, type, document from audit_event where request_id = any(${requestIds}::uuid[])
      union
      select id, type, document from audit_event
        where run_id = ${first?.runId ?? null}::uuid and call_id = ${first?.callId ?? null}::uuid
      union
      select id, type, document from audit_event where run_id = any(${runIds}::uuid[]) and (
        type in ('run.started', 'run.messaged', 'run.ended', 'run.cancelled')
        or (type = 'decision.recorded' and ${eventDocument} -> 'detail' ->> 'kind' = 'question'))
    ), used as (
      select ${eventDocument} -> 'detail' ->> 'grantId' as id from own where type = 'grant.used'
    ), policies as (
      select distinct ${eventDocument} ->> 'policyDigest' as digest from own
    ), people as (
      select distinct ${eventDocument} -> 'actor' ->> 'id' as id from own where type = 'decision.recorded'
    ), around as (
      select id, document from audit_event where run_id = any(${runIds}::uuid[])
        and type in ('grant.given', 'grant.used', 'grant.revoked', 'grant.ended')
        and ${eventDocument} -> 'detail' ->> 'grantId' in (select used.id from used)
      union
      select id, document from audit_event
        where type in ('policy.activated', 'policy.proposed', 'policy.withdrawn')
        and ${eventDocument} ->> 'policyDigest' in (select digest from policies)
      union
      select id, document from audit_event where type = 'policy.pinned'
        and ${eventDocument} ->> 'policyDigest' in (select digest from policies)
        and ${eventDocument} -> 'detail' ->> 'worker' in
          (select worker from run where id = any(${runIds}::uuid[]))
      union
      select id, document from audit_event where type = 'credential.changed'
        and ${eventDocument} -> 'detail' ->> 'personId' in (select people.id from people)
    )
    select id, document from own union select id, document from around
  `.execute(db)
  return { requestIds, runIds, events: rows }
}
