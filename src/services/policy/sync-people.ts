import { v7 as uuidv7 } from 'uuid'
import type { ProjectConfig } from '#policy/project-config.ts'
import { sealedMembership, sealedPerson } from '../access/sealed-rows.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { syncBudgets } from './sync-budgets.ts'
import { syncGroupMembers } from '../access/oidc/sync-group-members.ts'

/**
 * Makes the people and team members of the database those of a configuration. Nobody is deleted:
 * somebody who is no longer named keeps their row for the trail, and only the teams of their mapped
 * groups. Disabled people stay disabled.
 */
export async function syncPeople(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  config: ProjectConfig,
): Promise<void> {
  // One order for all, so that two activations cannot deadlock.
  const people = config.people.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  for (const { email, name } of people) {
    await tx
      .insertInto('person')
      .values(sealedPerson(seals, { id: uuidv7(), email, name }))
      .onConflict((conflict) => conflict.column('email').doUpdateSet({ name }))
      .execute()
  }
  // An address that somebody wrote into a row makes nobody a member, not even for a moment.
  const rows = (await tx.selectFrom('person').selectAll().execute()).filter((row) =>
    seals.holds('person', row),
  )
  const idOf = new Map(rows.map((row) => [row.email, row.id]))
  const members = [...config.teams.values()].flatMap((team) =>
    team.members.flatMap((email) => {
      const id = idOf.get(email)
      return id === undefined ? [] : [{ team: team.name, person_id: id }]
    }),
  )
  await tx.deleteFrom('membership').execute()
  const memberships = members.map((member) => sealedMembership(seals, { ...member, until: null }))
  if (memberships.length > 0) await tx.insertInto('membership').values(memberships).execute()
  await syncGroupMembers({ tx, seals }, config, null)
  await syncBudgets(tx, config)
}
