import { sql } from 'kysely'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { sealedMembership } from '../sealed-rows.ts'

/**
 * How long a membership by group holds after the sign-in that reported the group: longer than any
 * session lasts.
 */
export const groupsHoldForMs = 30 * 24 * 3_600_000

/**
 * Makes the members that groups give to teams those of the configuration's mapping: of everybody,
 * or of one person. Accounts of another issuer than the configured one give nobody a team. Who is
 * also named by the configuration stays a member by that. Groups count that are sealed with the
 * account: those that somebody wrote, and those of before they were sealed, give nobody a team.
 */
export async function syncGroupMembers(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  config: ProjectConfig,
  personId: string | null,
): Promise<void> {
  let remove = tx.deleteFrom('membership').where('until', 'is not', null)
  if (personId !== null) remove = remove.where('person_id', '=', personId)
  await remove.execute()
  const { oidc } = config.signIn
  if (oidc === null) return
  let query = tx
    .selectFrom('identity')
    .selectAll()
    .select(sql<Date>`told_at + ${groupsHoldForMs} * interval '1 millisecond'`.as('until'))
    .where('issuer', '=', oidc.issuer)
  if (personId !== null) query = query.where('person_id', '=', personId)
  const accounts = (await query.execute()).filter((row) => seals.holdsWhole('identity', row))
  const rows = accounts.flatMap((row) =>
    teamsOfGroups(oidc.teams, row.groups).map((team) => ({
      team,
      person_id: row.person_id,
      until: row.until,
    })),
  )
  if (rows.length === 0) return
  await tx
    .insertInto('membership')
    .values(rows.map((row) => sealedMembership(seals, row)))
    .onConflict((conflict) => conflict.columns(['team', 'person_id']).doNothing())
    .execute()
}

/** The teams that groups fill, each once, by name. */
export function teamsOfGroups(
  mapping: ReadonlyMap<string, readonly string[]>,
  groups: readonly string[],
): string[] {
  return [...new Set(groups.flatMap((group) => mapping.get(group) ?? []))].toSorted()
}
