import type { Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller } from '../../core/context.ts'
import { lockForAct, lockPersonShared } from '../../core/locks.ts'
import type { JudgingContext, UnitOfWork } from '../../core/unit-of-work.ts'
import { tamperedProblem } from '../../core/problems/tampered.ts'
import { verifyPerson } from '../../core/verified-person.ts'
import { byEligibility, type Authority, type PersonActor } from '../../core/authority.ts'

/**
 * The authority of a caller who is one of the queue's people: enabled, in its team or in one that
 * the quorum names (security.md 22). They stay so until the commit, if the unit locked activations
 * ({@link lockForAct}) before it locked the request. Rejects others, and all machines,
 * with `not_eligible`.
 */
export async function requireQueuePerson(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  caller: Caller,
  request: Pick<Selectable<RequestTable>, 'team' | 'routing'>,
): Promise<Authority<PersonActor>> {
  if (caller.actor.type !== 'person') {
    throw new Problem('not_eligible', "Only people of the queue's team may do this", {
      which: 'machine',
    })
  }
  const teams = [request.team, ...quorumTeams(request.routing.quorum)]
  const rows = await lockPersonShared(tx, caller.actor.id)
  const person = rows === undefined ? null : verifyPerson(seals, rows)
  const isOne = person?.enabled === true && person.teams.some((team) => teams.includes(team))
  if (!isOne && person !== null && person.forged !== null) throw tamperedProblem(person.forged)
  const sentence = `Only people of ${teams[0] ?? 'the queue'} may do this`
  return byEligibility(
    caller,
    isOne ? person : null,
    () => new Problem('not_eligible', sentence, { which: 'not_in_team' }),
  )
}

/** Locks the request of an id and requires its caller to be one of its queue's people. */
export function lockForQueuePerson(caller: Caller, requestId: string) {
  return async (at: JudgingContext) => {
    const request = await lockForAct(at.tx, { id: requestId, runId: null })
    return { request, authority: await requireQueuePerson(at, caller, request) }
  }
}
