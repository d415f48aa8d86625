import { sql, type Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { endingId } from '#domain/statements/row-seals.ts'
import type { MembershipTable } from '#store/tables/people.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { sealedMembership } from './sealed-rows.ts'
import { signInChannel } from './sign-in-cache.ts'

/** The parts of a unit that change memberships. */
export type MembershipUnit = Pick<UnitOfWork, 'tx' | 'seals' | 'revoke' | 'audit'>

type Place = Pick<Selectable<MembershipTable>, 'team' | 'person_id'>

/** A membership that must exist; `until` is null where the configuration names the person. */
export type WantedMembership = Pick<Selectable<MembershipTable>, 'team' | 'person_id' | 'until'>

/**
 * Replaces all memberships, or those that groups gave to one person, by the first wanted one of
 * each person in a team. Memberships that continue keep their id; the ids of the others are
 * recorded outside the database, so that a row that is put back makes nobody a member (security.md
 * 29). Audits `credential.changed` for each of these. Processes forget the sign-ins that they
 * looked up: a version or a group may have ended what admitted them. Returns whether a membership
 * ended.
 */
export async function replaceMemberships(
  { tx, seals, revoke, audit }: MembershipUnit,
  which: 'all' | { readonly byGroupOf: string },
  memberships: readonly WantedMembership[],
): Promise<boolean> {
  let removing = tx.deleteFrom('membership')
  if (which !== 'all') {
    removing = removing.where('until', 'is not', null).where('person_id', '=', which.byGroupOf)
  }
  const before = await removing.returningAll().execute()
  // The id of a row with an invalid seal is not used again: a named person gets a new membership.
  const valid = before.filter((row) => seals.holds('membership', row))
  const idOf = new Map(valid.map((row) => [placeOf(row), row.id]))
  const first = new Map(memberships.toReversed().map((one) => [placeOf(one), one]))
  const rows = [...first].map(([place, { team, person_id, until }]) =>
    sealedMembership(seals, { team, person_id, until, id: idOf.get(place) ?? newId() }),
  )
  if (rows.length > 0) {
    const inserting = tx.insertInto('membership').values(rows)
    await inserting.onConflict((conflict) => conflict.doNothing()).execute()
  }
  const lasting = new Set<string | null>(rows.map(({ id }) => id))
  const losses = before.flatMap((row) => {
    const own = row.id === null || lasting.has(row.id) ? [] : [row.id]
    // A membership that continues without an id has not ended: the previous version writes such
    // rows.
    const unnamed = endingId('membership', { ...row, id: null })
    const membershipIds = first.has(placeOf(row)) ? own : [...own, unnamed]
    return membershipIds.length === 0 ? [] : [{ ...row, membershipIds }]
  })
  revoke(
    'membership',
    losses.flatMap(({ membershipIds }) => membershipIds),
  )
  const whose = which === 'all' ? '' : which.byGroupOf
  await sql`select pg_notify(${signInChannel}, ${whose})`.execute(tx)
  await audit(
    ...losses.map(({ team, person_id: personId, membershipIds }) => ({
      type: 'credential.changed' as const,
      detail: { personId, change: 'membership_ended', team, membershipIds },
    })),
  )
  return losses.length > 0
}

function placeOf({ team, person_id: personId }: Place): string {
  return `${personId} ${team}`
}
