import type { ServiceContext } from '../core/context.ts'

/**
 * The people whom development sign-in offers: everybody whom the project names and who is not
 * disabled, by name.
 */
export async function listSwitchable(
  ctx: ServiceContext,
): Promise<{ email: string; name: string }[]> {
  const { config } = await ctx.policies.inForce()
  const emails = config.people.map((person) => person.email)
  if (emails.length === 0) return []
  return ctx.db
    .selectFrom('person')
    .select(['email', 'name'])
    .where('email', 'in', emails)
    .where('disabled_at', 'is', null)
    .orderBy('name')
    .execute()
}
