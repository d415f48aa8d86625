import { sql } from 'kysely'
import type { ProjectConfig } from '#policy/project-config.ts'
import { lockPerson } from '../find-active-person.ts'
import {
  replaceMemberships,
  type MembershipUnit,
  type WantedMembership,
} from '../replace-memberships.ts'

/**
 * How long a membership by group holds after the sign-in that reported the group: longer than any
 * session lasts. Keys may last longer: those of somebody whom only a group admits stop counting
 * then, until the next sign-in.
 */
const groupsHoldForMs = 30 * 24 * 3_600_000

/**
 * Gives a person the memberships that the configuration maps to the person's groups, and ends those
 * by other groups. A membership that names the person in the configuration stays. Returns whether a
 * membership ended.
 */
export async function syncGroupMembers(
  unit: MembershipUnit,
  config: ProjectConfig,
  personId: string,
): Promise<boolean> {
  // A decision that counts the person keeps their row locked: it comes before this.
  await lockPerson(unit, personId)
  const memberships = await membersByGroup(unit, config, personId)
  return replaceMemberships(unit, { byGroupOf: personId }, memberships)
}

/**
 * The members that groups give to teams by the configuration's mapping: of everybody, or of one
 * person. Accounts of another issuer than the configured one give nobody a team. Only groups that
 * are sealed with the account count: not those that SQL wrote, nor those from before groups were
 * sealed.
 */
export async function membersByGroup(
  { tx, seals }: Pick<MembershipUnit, 'tx' | 'seals'>,
  config: ProjectConfig,
  personId: string | null,
): Promise<WantedMembership[]> {
  const { oidc } = config.signIn
  if (oidc === null) return []
  let query = tx
    .selectFrom('identity')
    .selectAll()
    .select(sql<Date>`told_at + ${groupsHoldForMs} * interval '1 millisecond'`.as('until'))
    .where('issuer', '=', oidc.issuer)
  if (personId !== null) query = query.where('person_id', '=', personId)
  const accounts = (await query.execute()).filter((row) => seals.holdsWhole('identity', row))
  return accounts.flatMap((row) =>
    teamsOfGroups(oidc.teams, row.groups).map((team) => ({
      team,
      person_id: row.person_id,
      until: row.until,
    })),
  )
}

/** The teams that groups fill, each once, by name. */
export function teamsOfGroups(
  mapping: ReadonlyMap<string, readonly string[]>,
  groups: readonly string[],
): string[] {
  return [...new Set(groups.flatMap((group) => mapping.get(group) ?? []))].toSorted()
}
