import { isStillAdmitted } from '../../access/is-admitted.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { byVisitor } from '../../core/authority.ts'

export interface SlackPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

/**
 * The person who has confirmed that they are this user of a workspace; `null`: nobody, or they are
 * disabled or no longer a person of the project.
 */
export async function findSlackPerson(
  ctx: ServiceContext,
  user: { readonly team: string; readonly userId: string },
): Promise<SlackPerson | null> {
  const row = await ctx.db
    .selectFrom('slack_link')
    .innerJoin('person', 'person.id', 'slack_link.person_id')
    .selectAll('slack_link')
    .select(['person.name', 'person.email'])
    .where('slack_link.team', '=', user.team)
    .where('slack_link.user_id', '=', user.userId)
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || !ctx.seals.holds('slack_link', row)) return null
  const person = { id: row.person_id, name: row.name, email: row.email }
  return (await isStillAdmitted(ctx, person)) ? person : null
}

/** Why a Slack user is not a person here. */
export type SlackRefusal = 'other_workspace' | 'not_a_member' | 'other_address' | 'not_linked'

/** Records the refusal of a Slack user who is not a person here: `session.refused`. */
export async function refuseSlackUser(
  ctx: ServiceContext,
  user: { readonly team: string; readonly userId: string; readonly why: SlackRefusal },
): Promise<void> {
  await inUnitOfWork(ctx, byVisitor('slack', 'slack'), (unit) =>
    unit.audit({
      type: 'session.refused',
      detail: { method: 'slack', why: user.why, team: user.team, slackUser: user.userId },
    }),
  )
}
