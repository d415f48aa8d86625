import { Problem } from '../../domain/problem.ts'
import type { Policy, WorkerDefinition } from '../../policy/policy.ts'
import { groupTeams } from '../../policy/project/warnings/group-teams.ts'
import type { Db, Tx } from '../../store/database.ts'
import { memberOf } from '../runs/starting/member-of.ts'
import { assertReachable, assertStaffed } from '../runs/starting/reachable-approvers.ts'

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
    .select(memberOf(target.startableBy ?? []).as('is_member'))
    .where('id', '=', startedBy)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined) return 'The account of the person who started this run is disabled'
  return (
    refusedToTeams(target, person.is_member) ??
    (await sentenceOf(() => assertReachable(db, policy, target)))
  )
}

/** The same under a version that is not in force: its own teams count, not the rows of the one that is. */
export async function refusedStartUnder(
  policy: Policy,
  target: WorkerDefinition,
  email: string,
): Promise<string | null> {
  const teams = [...policy.config.teams.values()].filter((team) => team.members.length > 0)
  const staffed = new Set([...teams.map((team) => team.name), ...groupTeams(policy.config)])
  return (
    refusedToTeams(target, isNamedIn(policy, target.startableBy ?? [], email)) ??
    (await sentenceOf(async () => assertStaffed(policy, target, staffed)))
  )
}

function isNamedIn(policy: Policy, teams: readonly string[], email: string): boolean {
  return teams.some((team) => policy.config.teams.get(team)?.members.includes(email) === true)
}

function refusedToTeams(target: WorkerDefinition, isMember: boolean): string | null {
  const teams = target.startableBy
  return teams === null || isMember
    ? null
    : `Only members of ${teams.join(' or ')} may have ${target.name} started, and the person who started this run is none of them`
}

async function sentenceOf(assertion: () => Promise<void>): Promise<string | null> {
  try {
    await assertion()
    return null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
