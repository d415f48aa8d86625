import { sql } from 'kysely'
import type { NotificationChoice } from '#api/schemas/notifications/notifications.ts'
import type { RecordOf } from '../../core/record-of.ts'
import type { Db, Tx } from '#store/database.ts'
import { bySelf } from '../../core/authority.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { personBehind } from '../../requests/people/viewer.ts'

/** What somebody gets as push messages. */
export type PushChoice = RecordOf<NotificationChoice['push']>

/** The default for people who have not chosen. */
export const usualPush: PushChoice = { requests: 'all', ended: true, quiet: null }

/** What the caller gets as push messages. Rejects with `forbidden` for machines. */
export async function readPushChoice(ctx: ServiceContext, caller: Caller): Promise<PushChoice> {
  const personId = personBehind(caller)
  return (await pushChoicesOf(ctx.db, [personId])).get(personId) ?? usualPush
}

/** The choices of these people; those who have not chosen are absent. */
export async function pushChoicesOf(
  db: Db | Tx,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, PushChoice>> {
  if (personIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('push_choice')
    .selectAll()
    .where('person_id', 'in', personIds)
    .execute()
  return new Map(
    rows.map((row) => {
      const { requests, ended: ends, quiet_from: from, quiet_to: to, time_zone: timeZone } = row
      const isQuiet = from !== null && to !== null && timeZone !== null
      return [
        row.person_id,
        { requests, ended: ends, quiet: isQuiet ? { from, to, timeZone } : null },
      ]
    }),
  )
}

/** Stores what the caller gets as push messages from now on. Rejects with `forbidden` for keys. */
export async function choosePush(
  ctx: ServiceContext,
  caller: Caller,
  { requests, ended: ends, quiet }: PushChoice,
): Promise<void> {
  const authority = bySelf(caller, 'Only people have push settings')
  const row = {
    requests,
    ended: ends,
    quiet_from: quiet?.from ?? null,
    quiet_to: quiet?.to ?? null,
    time_zone: quiet?.timeZone ?? null,
  }
  await inUnitOfWork(ctx, authority, async ({ tx }) => {
    await tx
      .insertInto('push_choice')
      .values({ person_id: authority.actor.id, ...row })
      .onConflict((conflict) =>
        conflict.column('person_id').doUpdateSet({ ...row, changed_at: sql`clock_timestamp()` }),
      )
      .execute()
  })
}
