import type { Routing } from '../../domain/judgement.ts'
import { Problem } from '../../domain/problem.ts'
import type { Tx } from '../../store/database.ts'

/**
 * Refuses to ask where nobody could answer (product.md 22): the quorum must have an alternative each of whose teams has
 * a member who can sign in. Rejects with `unreachable_approvers` and what to configure.
 */
export async function requireStaffed(tx: Tx, { queue, quorum }: Routing): Promise<void> {
  const rows = await tx
    .selectFrom('team_member')
    .innerJoin('person', 'person.id', 'team_member.person_id')
    .select('team')
    .distinct()
    .where('disabled_at', 'is', null)
    .execute()
  const staffed = new Set(rows.map((row) => row.team))
  if (quorum.any.some((places) => places.every((place) => staffed.has(place.team)))) return
  const named = new Set(quorum.any.flat().map((place) => place.team))
  const empty = [...named].filter((team) => !staffed.has(team))
  throw new Problem(
    'unreachable_approvers',
    `Requests in the queue ${queue} would reach nobody: add members to the team ${empty.join(' and ')} in countersign.yaml`,
    { queue, teams: empty },
  )
}
