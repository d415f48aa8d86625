import { removeExpired } from '#store/remove-expired.ts'
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
  await inUnitOfWork(ctx, byVisitor('slack', 'slack'), async ({ tx, seals }) => {
    const expires_at = await removeExpired(tx, 'slack_link_code', codeLastsMs)
    await tx
      .deleteFrom('slack_link_code')
      .where('team', '=', team)
      .where('user_id', '=', user_id)
      .execute()
    const row = { code_hash: hashToken(code), team, user_id, email, expires_at }
    await tx
      .insertInto('slack_link_code')
      .values({ ...row, seal: seals.of('slack_link_code', row) })
      .execute()
  })
  return code
}
