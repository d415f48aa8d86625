import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'

/** The person who calls, as authenticators show them. Machines have no passkeys: `forbidden`. */
export async function findPerson(
  ctx: ServiceContext,
  { actor }: Caller,
): Promise<{ readonly id: string; readonly name: string; readonly email: string }> {
  if (actor.type !== 'person') throw new Problem('forbidden', 'Only people have passkeys')
  const person = await ctx.db
    .selectFrom('person')
    .select(['id', 'name', 'email'])
    .where('id', '=', actor.id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined) throw new Problem('not_found', 'There is no such person')
  return person
}
