import { sql } from 'kysely'
import type { Channel } from '../../domain/actor.ts'
import type { UnitOfWork } from '../unit-of-work.ts'
import type { SessionTimes } from './session-times.ts'
import { hashToken, newToken } from './token.ts'

/** How somebody proved who they are. */
export type SignInMethod = 'development' | 'link'

export interface StartedSession {
  /** goes into the cookie; stored only as a hash */
  readonly token: string
  readonly csrfToken: string
  readonly personId: string
  readonly expiresAt: Date
}

/**
 * Starts a session in the caller's transaction and ends the one it replaces, so that a token planted before
 * a sign-in is worth nothing after it. Audits both.
 */
export async function startSession(
  unit: UnitOfWork,
  input: {
    person: { id: string; name: string }
    method: SignInMethod
    channel: Channel
    times: SessionTimes
    replacesToken: string | null
  },
): Promise<StartedSession> {
  const actor = { type: 'person', id: input.person.id, name: input.person.name } as const
  if (input.replacesToken !== null) {
    const ended = await unit.tx
      .deleteFrom('session')
      .where('token_hash', '=', hashToken(input.replacesToken))
      .returning('person_id')
      .executeTakeFirst()
    if (ended !== undefined) {
      await unit.audit({
        type: 'session.ended',
        actor,
        channel: input.channel,
        detail: { personId: ended.person_id, why: 'replaced' },
      })
    }
  }
  const token = newToken()
  const csrfToken = newToken()
  const { expires_at: expiresAt } = await unit.tx
    .insertInto('session')
    .values({
      token_hash: hashToken(token),
      person_id: input.person.id,
      csrf_token: csrfToken,
      channel: input.method,
      expires_at: sql<Date>`clock_timestamp() + ${input.times.absoluteMs} * interval '1 millisecond'`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  await unit.audit({
    type: 'session.started',
    actor,
    channel: input.channel,
    detail: { method: input.method },
  })
  return { token, csrfToken, personId: input.person.id, expiresAt }
}
