import type { ServiceContext } from '../context.ts'

/** Whom development sign-in may become: everybody the project names who is not disabled, by name. */
export async function listSwitchable(
  ctx: ServiceContext,
): Promise<{ email: string; name: string }[]> {
  const { config } = await ctx.policies.inForce()
  const named = config.people.map((person) => person.email)
  if (named.length === 0) return []
  return ctx.db
    .selectFrom('person')
    .select(['email', 'name'])
    .where('email', 'in', named)
    .where('disabled_at', 'is', null)
    .orderBy('name')
    .execute()
}
