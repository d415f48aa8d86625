import type { ServiceContext } from '../context.ts'

export interface ActivePerson {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** The person with an e-mail address, in any case of letters; null when nobody has it or they are disabled. */
export async function findActivePerson(
  ctx: ServiceContext,
  email: string,
): Promise<ActivePerson | null> {
  const row = await ctx.db
    .selectFrom('person')
    .select(['id', 'email', 'name'])
    .where('email', '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}
