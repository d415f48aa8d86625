import { sql } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import type { Principal } from './principals-of-run.ts'

/**
 * The people whose call it is, besides those behind its run (product.md 17): who invoked it, and
 * who changed it before it was decided. Rows are read, and the trail too: the service's role in
 * Postgres may delete such a row, but no event (security.md 29).
 */
export async function principalsOfCall(
  db: Db | Tx,
  { runId, callId }: { readonly runId: string; readonly callId: string },
): Promise<Principal[]> {
  const { rows } = await sql<Principal>`
    select invoked_by as "personId", 'invoked' as why from manual_call where call_id = ${callId}
    union
    select revision.editor_id, 'edited' from request
      join request_revision as revision on revision.request_id = request.id
    where request.call_id = ${callId} and revision.editor_id is not null
    union
    select person.id, case type when 'call.judged' then 'invoked' else 'edited' end
    from audit_event join person on person.id::text = audit_event.actor_id
    where run_id = ${runId} and call_id = ${callId} and actor_type = 'person'
      and type in ('call.judged', 'request.revised')
  `.execute(db)
  return rows
}

/** The ids of the same people, each once. */
export async function peopleOfCall(
  db: Db | Tx,
  call: { readonly runId: string; readonly callId: string },
): Promise<string[]> {
  const principals = await principalsOfCall(db, call)
  return [...new Set(principals.map(({ personId }) => personId))].toSorted()
}
