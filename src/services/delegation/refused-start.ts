import { Problem } from '../../domain/problem.ts'
import type { Policy, WorkerDefinition } from '../../policy/policy.ts'
import type { Db, Tx } from '../../store/database.ts'
import { assertReachable } from '../runs/reachable-approvers.ts'

/**
 * Why no run of a worker could be started on behalf of a person, as a sentence; `null` when one could: the worker's
 * `startableBy` holds for delegation too, and what the run would ask must be able to reach somebody (product.md 22).
 */
export async function refusedStart(
  db: Db | Tx,
  policy: Policy,
  target: WorkerDefinition,
  startedBy: string,
): Promise<string | null> {
  const person = await db
    .selectFrom('person')
    .select('email')
    .where('id', '=', startedBy)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined) return 'The account of the person who started this run is disabled'
  const teams = target.startableBy
  const startable =
    teams === null ||
    teams.some((team) => policy.config.teams.get(team)?.members.includes(person.email) === true)
  if (!startable) {
    return `Only members of ${teams.join(' or ')} may have ${target.name} started, and the person who started this run is none of them`
  }
  try {
    await assertReachable(db, policy, target)
    return null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
