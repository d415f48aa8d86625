import type { Routing } from '../../domain/judgement.ts'
import type { JsonObject } from '../../domain/json.ts'
import { Problem } from '../../domain/problem.ts'
import type { Db, Tx } from '../../store/database.ts'

/** The teams that have a member who can sign in. */
export async function readStaffedTeams(db: Db | Tx): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('person', 'person.id', 'team_member.person_id')
    .select('team')
    .distinct()
    .where('disabled_at', 'is', null)
    .execute()
  return new Set(rows.map((row) => row.team))
}

/**
 * Refuses to ask where nobody could answer (product.md 22): the quorum must have an alternative each of whose teams is
 * staffed. Throws `unreachable_approvers` with what to configure, and with `facts` before its own.
 */
export function requireStaffed(
  { queue, quorum }: { readonly queue: string; readonly quorum: Routing['quorum'] },
  staffed: ReadonlySet<string>,
  facts: JsonObject = {},
): void {
  if (quorum.any.some((places) => places.every((place) => staffed.has(place.team)))) return
  const named = new Set(quorum.any.flat().map((place) => place.team))
  const empty = [...named].filter((team) => !staffed.has(team))
  throw new Problem(
    'unreachable_approvers',
    `Requests in the queue ${queue} would reach nobody: add members to the team ${empty.join(' and ')} in countersign.yaml`,
    { ...facts, queue, teams: empty },
  )
}
