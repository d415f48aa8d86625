import type { ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/** Why somebody in Slack is nobody here. */
export type SlackRefusal = 'other_workspace' | 'not_a_member' | 'other_address'

/** Records that somebody was refused who is no person of ours: `session.refused`. */
export async function refuseSlackUser(
  ctx: ServiceContext,
  user: { readonly team: string; readonly userId: string; readonly why: SlackRefusal },
): Promise<void> {
  await inUnitOfWork(ctx, (unit) =>
    unit.audit({
      type: 'session.refused',
      actor: { type: 'system', name: 'slack' },
      channel: 'slack',
      detail: { method: 'slack', why: user.why, team: user.team, slackUser: user.userId },
    }),
  )
}
