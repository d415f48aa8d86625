import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'

export interface PersonRecord {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly teams: readonly string[]
  readonly disabledAt: Date | null
}

/** Everybody the project names or has named, by address. People see each other; a key sees nobody. */
export async function listPeople(ctx: ServiceContext, caller: Caller): Promise<PersonRecord[]> {
  if (caller.actor.type !== 'person') throw new Problem('forbidden', 'Only people see people')
  const people = await ctx.db
    .selectFrom('person')
    .select(['id', 'email', 'name', 'disabled_at'])
    .orderBy('email')
    .execute()
  const members = await ctx.db.selectFrom('team_member').selectAll().orderBy('team').execute()
  return people.map((person) => ({
    id: person.id,
    email: person.email,
    name: person.name,
    teams: members.filter((one) => one.person_id === person.id).map((one) => one.team),
    disabledAt: person.disabled_at,
  }))
}
