import { sql, type Selectable } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import { quorumTeams } from '../../domain/deciding/quorum.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { Caller } from '../context.ts'

/**
 * The person id of a caller who is one of the queue's people now: enabled, in its team or in one that the quorum names
 * (security.md 22). Rejects with `not_eligible`; machines never are.
 */
export async function requireQueuePerson(
  db: Db | Tx,
  caller: Caller,
  request: Pick<Selectable<RequestTable>, 'team' | 'routing'>,
): Promise<string> {
  if (caller.actor.type !== 'person') {
    throw new Problem('not_eligible', 'Only people of the queue may do this', { which: 'machine' })
  }
  const teams = [request.team, ...quorumTeams(request.routing.quorum)]
  const member = await db
    .selectFrom('person')
    .innerJoin('team_member', 'team_member.person_id', 'person.id')
    .select(sql<number>`1`.as('one'))
    .where('person.id', '=', caller.actor.id)
    .where('person.disabled_at', 'is', null)
    .where('team_member.team', 'in', teams)
    .executeTakeFirst()
  if (member !== undefined) return caller.actor.id
  throw new Problem('not_eligible', `Only people of ${teams[0] ?? 'the queue'} may do this`, {
    which: 'not_in_team',
  })
}
