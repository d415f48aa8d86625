import { sql, type Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { hashToken } from '../../access/token.ts'
import type { SlackLinkRecord } from './list-slack-links.ts'
import { bySelf } from '../../core/authority.ts'
import type { SlackLinkTable } from '#store/tables/deliveries.ts'

/**
 * Links the caller with the Slack user who got a code, in place of an earlier link of either.
 * Rejects with `forbidden` for machines, `not_found` for an invalid code, and `not_eligible` when
 * the workspace knows that user by another address. Audits `credential.changed`.
 */
export async function confirmSlackLink(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly code: string },
): Promise<SlackLinkRecord> {
  const authority = bySelf(caller, 'Only people can be linked')
  const { actor } = authority
  const linked = await inUnitOfWork(ctx, authority, async (unit) => {
    const user = await unit.tx
      .deleteFrom('slack_link_code')
      .where('code_hash', '=', hashToken(input.code))
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .returningAll()
      .executeTakeFirst()
    if (user === undefined || !unit.seals.holds('slack_link_code', user)) return null
    const person = await unit.tx
      .selectFrom('person')
      .select(['id', 'email', 'disabled_at', 'other_ids', 'seal'])
      .where('id', '=', actor.id)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    const isKnown = person !== undefined && unit.seals.holds('person', person)
    if (!isKnown || person.email !== user.email) return 'other' as const
    const replaced = await unit.tx
      .deleteFrom('slack_link')
      .where('team', '=', user.team)
      .where((eb) => eb.or([eb('user_id', '=', user.user_id), eb('person_id', '=', actor.id)]))
      .returning(['id', 'person_id', 'team', 'user_id'])
      .execute()
    unit.revoke(
      'slack_link',
      replaced.map(({ id }) => id),
    )
    const link = { id: newId(), team: user.team, user_id: user.user_id, person_id: actor.id }
    const row = await unit.tx
      .insertInto('slack_link')
      .values({ ...link, seal: unit.seals.of('slack_link', link) })
      .returning(['id', 'team', 'user_id', 'created_at'])
      .executeTakeFirstOrThrow()
    const unlinked = replaced.map((old) => slackDetail('slack_unlinked', old))
    await unit.audit(
      ...[...unlinked, slackDetail('slack_linked', { ...row, person_id: actor.id })].map(
        (detail) => ({ type: 'credential.changed' as const, detail }),
      ),
    )
    return { id: row.id, team: row.team, userId: row.user_id, createdAt: row.created_at }
  })
  if (linked === 'other') {
    throw new Problem(
      'not_eligible',
      'The e-mail address of this user in the Slack workspace is not yours; nothing was linked',
    )
  }
  if (linked !== null) return linked
  throw new Problem(
    'not_found',
    'This code is no longer valid: each code works once, for 15 minutes. Press the button in Slack again',
  )
}

function slackDetail(
  change: 'slack_linked' | 'slack_unlinked',
  link: Pick<Selectable<SlackLinkTable>, 'id' | 'person_id' | 'team' | 'user_id'>,
) {
  const { id: linkId, person_id: personId, team, user_id: slackUser } = link
  return { personId, change, linkId, team, slackUser }
}
