import { sql } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { idleSince, type SessionTimes } from '../../access/sessions/session-times.ts'
import type { PushDevice } from './push-subscription.ts'

/** The devices of the caller whose sessions are live, newest first; 20 at most. */
export async function listDevices(
  ctx: ServiceContext,
  caller: Caller,
  times: SessionTimes,
): Promise<readonly PushDevice[]> {
  return devicesOf(ctx.db, [personBehind(caller)], times)
}

/** The devices of these people whose sessions are live, newest first. */
export async function devicesOf(
  db: Db | Tx,
  personIds: readonly string[],
  times: SessionTimes,
): Promise<readonly (PushDevice & { readonly personId: string })[]> {
  if (personIds.length === 0) return []
  return db
    .selectFrom('push_subscription as push')
    .innerJoin('session', 'session.id', 'push.session_id')
    .select(['push.id', 'push.endpoint', 'push.person_id as personId', 'session.device'])
    .select(['push.session_id as sessionId', 'push.created_at as createdAt'])
    .where('push.person_id', 'in', personIds)
    .where('session.expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('session.last_seen_at', '>', idleSince(times))
    .orderBy('push.created_at', 'desc')
    .orderBy('push.id', 'desc')
    .execute()
}
