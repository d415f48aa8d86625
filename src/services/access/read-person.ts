import type { Me } from '#api/schemas/access/auth.ts'
import { Problem } from '#domain/problem.ts'
import type { ServiceContext } from '../core/context.ts'
import type { RecordOf } from '../core/record-of.ts'
import { rightsOf } from '../core/rights-of.ts'

export type PersonWithRights = RecordOf<Me['person']>

/** A person with the teams and rights they have now. Rejects with `not_found`. */
export async function readPerson(ctx: ServiceContext, personId: string): Promise<PersonWithRights> {
  const person = await ctx.db
    .selectFrom('person')
    .select(['id', 'email', 'name'])
    .where('id', '=', personId)
    .executeTakeFirst()
  if (person === undefined) throw new Problem('not_found', 'There is no such person')
  const teams = await ctx.db
    .selectFrom('team_member')
    .select('team')
    .where('person_id', '=', personId)
    .orderBy('team')
    .execute()
  const rights = await rightsOf(ctx, personId)
  return { ...person, teams: teams.map((row) => row.team), rights: [...rights] }
}
