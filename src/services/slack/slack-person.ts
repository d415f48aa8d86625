import type { ServiceContext } from '../context.ts'

export interface SlackPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** The person who has confirmed to be a user of a workspace; `null` when nobody has, or they are disabled. */
export async function findSlackPerson(
  ctx: ServiceContext,
  user: { readonly team: string; readonly userId: string },
): Promise<SlackPerson | null> {
  const row = await ctx.db
    .selectFrom('slack_link')
    .innerJoin('person', 'person.id', 'slack_link.person_id')
    .select(['person.id', 'person.name', 'person.email'])
    .where('slack_link.team', '=', user.team)
    .where('slack_link.user_id', '=', user.userId)
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}
