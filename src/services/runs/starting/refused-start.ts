import { Problem } from '#domain/problem.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { groupTeams } from '#policy/project/config/teams.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Db, Tx } from '#store/database.ts'
import { findMember } from './find-member.ts'
import type { Principal } from '../../requests/people/principals-of-run.ts'
import type { Reachable } from '../../requests/people/reach.ts'
import { assertReachable, assertReachableBy } from './reachable-approvers.ts'

/**
 * Why a run of a worker could not start on behalf of a person, as a sentence, or `null` if it
 * could. The worker's `startableBy` applies to delegation too. Somebody who is not behind the run
 * must be able to decide its requests (product.md 22, 42). `behind`: who is behind the run that
 * starts it, besides the person.
 */
export async function refusedStart(
  at: { readonly db: Db | Tx; readonly seals: Seals },
  policy: Policy,
  target: WorkerDefinition,
  startedBy: string | null,
  behind: () => Promise<readonly Principal[]>,
): Promise<string | null> {
  if (startedBy === null) {
    return (
      refusedToTeams(target, false) ??
      (await sentenceOf(async () => assertReachable(at.db, policy, target, await behind())))
    )
  }
  const person = await findMember(at, startedBy, target.startableBy ?? [])
  if (person === null) return 'The account of the person who started this run is disabled'
  return (
    refusedToTeams(target, person.isMember) ??
    (await sentenceOf(async () =>
      assertReachable(at.db, policy, target, [
        ...(await behind()),
        { personId: startedBy, why: 'started' },
      ]),
    ))
  )
}

/** The same under a version that is not in force, by its own teams instead of rows. */
export async function refusedStartUnder(
  policy: Policy,
  target: WorkerDefinition,
  email: string | null,
): Promise<string | null> {
  return (
    refusedToTeams(target, email !== null && isNamedIn(policy, target.startableBy ?? [], email)) ??
    (await sentenceOf(async () =>
      assertReachableBy(policy, target, peopleOf(policy), startedBy(email)),
    ))
  )
}

function startedBy(email: string | null): readonly Principal[] {
  return email === null ? [] : [{ personId: email, why: 'started' }]
}

/** The size of a group is unknown here: assume as many as any quorum needs. */
const membersOfGroup = 50

/** A version's people by address, and one for each place of a team that a group fills. */
function peopleOf({ config }: Policy): readonly Reachable[] {
  const named = new Map<string, string[]>()
  for (const { name, members } of config.teams.values()) {
    for (const email of members) named.set(email, [...(named.get(email) ?? []), name])
  }
  const unnamed = [...groupTeams(config)].flatMap((team) =>
    Array.from({ length: membersOfGroup }, (_, which) => ({
      id: `${team} ${which}`,
      name: `a member of ${team}`,
      teams: [team],
    })),
  )
  return [...[...named].map(([email, teams]) => ({ id: email, name: email, teams })), ...unnamed]
}

function isNamedIn(policy: Policy, teams: readonly string[], email: string): boolean {
  return teams.some((team) => policy.config.teams.get(team)?.members.includes(email) === true)
}

function refusedToTeams(target: WorkerDefinition, isMember: boolean): string | null {
  const teams = target.startableBy
  return teams === null || isMember
    ? null
    : `Only members of ${teams.join(' or ')} may start ${target.name}, and the person who started this run is not one of them`
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
