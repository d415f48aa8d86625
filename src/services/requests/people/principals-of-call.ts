import { sql } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Principal } from './principals-of-run.ts'

/** A call that a person invokes: one that is recorded, or one that they are about to make. */
export type Invocation = { readonly callId: string } | { readonly personId: string }

/** The invocation of a recorded call; `null`: the model made it. Pure. */
export function invocationOf(call: {
  readonly id: string
  readonly manual: boolean
}): Invocation | null {
  return call.manual ? { callId: call.id } : null
}

/**
 * The people whose call it is, besides those behind its run (product.md 17): who invoked it, and
 * who changed it before it was decided, unless the queue lets editors approve (product.md 11). Rows
 * are read, and the trail too: the service's role in Postgres may delete such a row, but no event
 * (security.md 29).
 */
async function principalsOfCall(
  db: Db | Tx,
  { runId, callId }: { readonly runId: string; readonly callId: string },
): Promise<Principal[]> {
  const { rows } = await sql<Principal>`
    select invoked_by as "personId", 'invoked' as why from manual_call where call_id = ${callId}
    union
    select revision.editor_id, 'edited' from request
      join request_revision as revision on revision.request_id = request.id
    where request.call_id = ${callId} and revision.editor_id is not null
      and request.routing->>'edits' is distinct from 'approve'
    union
    select person.id, case type when 'call.judged' then 'invoked' else 'edited' end
    from audit_event join person on person.id::text = audit_event.actor_id
    where run_id = ${runId} and call_id = ${callId} and actor_type = 'person'
      and (type = 'call.judged' or type = 'request.revised'
        and ${eventDocument} -> 'detail' ->> 'edits' is distinct from 'approve')
  `.execute(db)
  return rows
}

/** The people whose call it is, for a call that is being judged; empty if the model makes it. */
export async function principalsOfInvocation(
  db: Db | Tx,
  { runId, invocation }: { readonly runId: string; readonly invocation: Invocation | null },
): Promise<readonly Principal[]> {
  if (invocation === null) return []
  if ('personId' in invocation) return [{ personId: invocation.personId, why: 'invoked' }]
  return principalsOfCall(db, { runId, callId: invocation.callId })
}

/** The ids of the same people, each once. */
export async function peopleOfCall(
  db: Db | Tx,
  call: { readonly runId: string; readonly callId: string },
): Promise<string[]> {
  const principals = await principalsOfCall(db, call)
  return [...new Set(principals.map(({ personId }) => personId))].toSorted()
}
