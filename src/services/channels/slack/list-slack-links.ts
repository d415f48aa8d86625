import type { SlackLinkView } from '#api/schemas/notifications/notifications.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** Who a person is in a workspace of Slack. */
export type SlackLinkRecord = RecordOf<SlackLinkView>

/** The caller's own links. Rejects with `forbidden` for machines. */
export async function listSlackLinks(
  ctx: ServiceContext,
  { actor }: Caller,
): Promise<readonly SlackLinkRecord[]> {
  if (actor.type !== 'person') throw new Problem('forbidden', 'Only people can be linked')
  const rows = await ctx.db
    .selectFrom('slack_link')
    .select(['id', 'team', 'user_id as userId', 'created_at as createdAt'])
    .where('person_id', '=', actor.id)
    .orderBy('team')
    .execute()
  return rows
}
