import type { Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { PersonTable } from '#store/tables/people.ts'
import type { Tx } from '#store/database.ts'
import { isSealedPerson } from '../access/person-by-address.ts'
import { replaceMemberships, type MembershipUnit } from '../access/replace-memberships.ts'
import { sealedPerson } from '../access/sealed-rows.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { membersByGroup } from '../access/oidc/sync-group-members.ts'

/**
 * Makes the people and team members of the database those of a configuration. Nobody is deleted:
 * somebody who is no longer named keeps their row for the trail, and only the teams of their mapped
 * groups. Disabled people stay disabled.
 */
export async function syncPeople(unit: MembershipUnit, config: ProjectConfig): Promise<void> {
  const { tx, seals } = unit
  // One order for all, so that two activations cannot deadlock.
  const people = config.people.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  for (const { email, name } of people) {
    await tx
      .insertInto('person')
      .values(sealedPerson(seals, { id: newId(), email, name }))
      .onConflict((conflict) => conflict.column('email').doUpdateSet({ name }))
      .execute()
  }
  // An address that SQL wrote into a row must not make anybody a member, not even for a moment.
  const all = await tx.selectFrom('person').selectAll().execute()
  await linkRows({ tx, seals }, config, all)
  const rows = all.filter((row) => seals.holds('person', row))
  const idOf = new Map(rows.map((row) => [row.email, row.id]))
  const members = [...config.teams.values()].flatMap((team) =>
    team.members.flatMap((email) => {
      const id = idOf.get(email)
      return id === undefined ? [] : [{ team: team.name, person_id: id, until: null }]
    }),
  )
  const byGroup = await membersByGroup({ tx, seals }, config, null)
  await replaceMemberships(unit, 'all', [...members, ...byGroup])
  await syncBudgets(tx, config)
}

/**
 * Links the rows of one human, so that a person with a new address cannot decide a request that
 * they are behind under an earlier address (product.md 17). The rows share nothing else: nobody
 * gets a key, a session or a passkey of another row. A link only removes rights.
 */
async function linkRows(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  config: ProjectConfig,
  all: readonly Selectable<PersonTable>[],
): Promise<void> {
  const idOf = new Map(
    all.flatMap((row) => (isSealedPerson(seals, row) ? [[row.email, row.id]] : [])),
  )
  const groups = config.people.map(({ email, formerly = [] }) =>
    [email, ...formerly].flatMap((address) => idOf.get(address) ?? []),
  )
  const groupOf = new Map(groups.flatMap((group) => group.map((id) => [id, group])))
  for (const row of all) {
    const others = (groupOf.get(row.id) ?? []).filter((id) => id !== row.id).toSorted()
    const now = row.other_ids ?? []
    if (others.length === now.length && others.every((id, at) => id === now[at])) continue
    // A disabled person decides nothing, and a row that SQL wrote must keep its invalid seal.
    if (!seals.holds('person', row)) continue
    const other_ids = others.length === 0 ? null : others
    const seal = seals.of('person', { ...row, other_ids })
    await tx.updateTable('person').set({ other_ids, seal }).where('id', '=', row.id).execute()
  }
}

/** Makes the monthly budgets of the database those of a configuration: each step reads them. */
async function syncBudgets(tx: Tx, { budgets }: ProjectConfig): Promise<void> {
  await tx.deleteFrom('monthly_budget').execute()
  const lowest = new Map<string, number>()
  for (const { worker, costUsd } of budgets) {
    lowest.set(worker, Math.min(costUsd, lowest.get(worker) ?? Infinity))
  }
  const rows = [...lowest].map(([worker, cost_usd]) => ({ worker, cost_usd }))
  if (rows.length > 0) await tx.insertInto('monthly_budget').values(rows).execute()
}
