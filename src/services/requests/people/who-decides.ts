import { sql, type RawBuilder } from 'kysely'
import { namesTeam } from './visible-to.ts'

/**
 * Whether the person of the row named `person` is in a team of the quorum, and not behind the
 * request unless its queue lets people decide their own (product.md 17). `request` is the table's
 * name or alias in the query.
 */
export function isDecider(request: string, person: string): RawBuilder<boolean> {
  return sql<boolean>`(exists (select 1 from team_member t
      where t.person_id = ${sql.ref(`${person}.id`)} and ${namesTeam(request, sql.ref('t.team'))})
    and ${isImpartial(request, person)})`
}

/** The second half of `isDecider`, for a query that begins with the members of the teams. */
export function isImpartial(request: string, person: string): RawBuilder<boolean> {
  const routing = sql.ref(`${request}.routing`)
  const [id, otherIds] = [sql.ref(`${person}.id`), sql.ref(`${person}.other_ids`)]
  return sql<boolean>`(${routing}->'selfApproval' = 'true'::jsonb or not exists (
    select 1 from request_principal q
    where q.request_id = ${sql.ref(`${request}.id`)} and q.person_id = any(${otherIds} || ${id})))`
}
