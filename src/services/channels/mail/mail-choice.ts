import { sql } from 'kysely'
import type { NotificationChoice } from '#api/schemas/notifications/notifications.ts'
import type { EmailDigest } from '#policy/settings.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { bySelf } from '../../core/authority.ts'

/** What somebody gets by mail, and what that means here. */
export interface MailState extends Omit<NotificationChoice['email'], 'digest'> {
  readonly digest: EmailDigest | null
}
export type MailChoice = Pick<MailState, 'choice' | 'ended'>

/** What the caller is mailed now. Rejects with `forbidden` for callers that are no people. */
export async function readMailChoice(ctx: ServiceContext, caller: Caller): Promise<MailState> {
  const row = await ctx.db
    .selectFrom('person')
    .leftJoin('mail_choice', 'mail_choice.person_id', 'person.id')
    .select(['person.email', 'mail_choice.choice', 'mail_choice.ended'])
    .where('person.id', '=', personBehind(caller))
    .executeTakeFirstOrThrow()
  const { email } = (await ctx.policies.inForce()).config
  const usual = email?.choice ?? 'digest'
  return {
    address: row.email,
    available: email !== null,
    choice: row.choice ?? usual,
    ended: row.ended ?? false,
    usual,
    isUsual: row.choice === null,
    digest: email?.digest ?? null,
  }
}

/** Stores what the caller gets by mail. A digest has only what happens after the choice. */
export async function chooseMail(
  ctx: ServiceContext,
  caller: Caller,
  { choice, ended: ends }: MailChoice,
): Promise<void> {
  const authority = bySelf(caller, 'Only people have mail settings')
  const personId = authority.actor.id
  await inUnitOfWork(ctx, authority, async ({ tx }) => {
    await tx
      .insertInto('mail_choice')
      .values({ person_id: personId, choice, ended: ends })
      .onConflict((conflict) =>
        conflict
          .column('person_id')
          .doUpdateSet({ choice, ended: ends, changed_at: sql`clock_timestamp()` }),
      )
      .execute()
    if (choice === 'digest') return
    await tx.deleteFrom('mail_digest').where('person_id', '=', personId).execute()
    await tx.deleteFrom('mail_news').where('person_id', '=', personId).execute()
  })
}
