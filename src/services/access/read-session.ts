import { sql } from 'kysely'
import type { ServiceContext } from '../context.ts'
import type { SessionTimes } from './session-times.ts'
import type { SignInMethod } from './start-session.ts'
import { hashToken } from './token.ts'

export interface Session {
  readonly id: string
  readonly tokenHash: string
  readonly person: { readonly id: string; readonly email: string; readonly name: string }
  readonly csrfToken: string
  readonly method: SignInMethod
  readonly expiresAt: Date
}

/** `last_seen_at` is written at most this often, so that reading costs no write. */
const seenEveryMs = 60_000

/** The live session of a cookie's token, or null: unknown, idle too long, over, or its person disabled. */
export async function readSession(
  ctx: ServiceContext,
  times: SessionTimes,
  input: {
    token: string
    /** counts as use, so that the session does not end idle; a stream that only stays open is none */
    isUse: boolean
  },
): Promise<Session | null> {
  const row = await ctx.db
    .selectFrom('session')
    .innerJoin('person', 'person.id', 'session.person_id')
    .select([
      'session.token_hash',
      'session.id as session_id',
      'session.csrf_token',
      'session.channel',
      'session.expires_at',
      'person.id',
      'person.email',
      'person.name',
    ])
    .select(
      sql<boolean>`session.last_seen_at < clock_timestamp() - ${seenEveryMs} * interval '1 millisecond'`.as(
        'is_long_unseen',
      ),
    )
    .where('session.token_hash', '=', hashToken(input.token))
    .where('person.disabled_at', 'is', null)
    .where('session.expires_at', '>', sql<Date>`clock_timestamp()`)
    .where(
      'session.last_seen_at',
      '>',
      sql<Date>`clock_timestamp() - ${times.idleMs} * interval '1 millisecond'`,
    )
    .executeTakeFirst()
  if (row === undefined) return null
  if (input.isUse && row.is_long_unseen) {
    await ctx.db
      .updateTable('session')
      .set({ last_seen_at: sql`clock_timestamp()` })
      .where('token_hash', '=', row.token_hash)
      .execute()
  }
  return {
    id: row.session_id,
    tokenHash: row.token_hash,
    person: { id: row.id, email: row.email, name: row.name },
    csrfToken: row.csrf_token,
    method: row.channel as SignInMethod,
    expiresAt: row.expires_at,
  }
}
