import type { Selectable } from 'kysely'
import type { Problem } from '../../domain/problem.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { Caller } from '../context.ts'
import type { UnitOfWork } from '../unit-of-work.ts'
import { readDecisionFacts, type DecisionFacts } from './decision-facts.ts'
import { expireLocked } from './ending/expire-locked.ts'
import { expiredProblem, refuseEnded } from './ending/refuse-ended.ts'

/**
 * What an answer to a locked request rests on while it is open. When it has ended, or its time is over (it expires
 * then), the problem to answer once the transaction is committed.
 */
export async function factsWhileOpen(
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
): Promise<DecisionFacts | Problem> {
  const ended = await refuseEnded(unit.tx, request)
  if (ended !== null) return ended
  const personId = caller.actor.type === 'person' ? caller.actor.id : null
  const facts = await readDecisionFacts(unit.tx, request.id, personId)
  if (facts.now < request.expires_at) return facts
  await expireLocked(unit, request)
  return expiredProblem(request)
}
