import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'
import { hashToken, newToken } from '../../access/token.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { byVisitor } from '../../core/authority.ts'

const codeLastsMs = 15 * 60_000

/**
 * Makes a code, shown to one Slack user alone, with which the person who is signed in here confirms
 * that they are that user. It works once, for 15 minutes, and only for the person with the address
 * that the workspace has verified.
 */
export async function offerSlackLink(
  ctx: ServiceContext,
  user: { readonly team: string; readonly userId: string; readonly email: string },
): Promise<string> {
  const code = newToken()
  const { team, userId: user_id, email } = user
  const row = { code_hash: hashToken(code), team, user_id, email }
  await inUnitOfWork(ctx, byVisitor('slack', 'slack'), async ({ tx, seals }) => {
    await tx
      .deleteFrom('slack_link_code')
      .where((eb) =>
        eb.or([
          eb('expires_at', '<', sql<Date>`clock_timestamp()`),
          eb.and([eb('team', '=', user.team), eb('user_id', '=', user.userId)]),
        ]),
      )
      .execute()
    await tx
      .insertInto('slack_link_code')
      .values({
        ...row,
        seal: seals.of('slack_link_code', row),
        expires_at: sql<Date>`clock_timestamp() + ${codeLastsMs} * interval '1 millisecond'`,
      })
      .execute()
  })
  return code
}
