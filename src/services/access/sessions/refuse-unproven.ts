import type { Channel } from '#domain/actor.ts'
import { Problem } from '#domain/problem.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { UnprovenSession } from './read-session.ts'
import { byVisitor } from '../../core/authority.ts'

/**
 * Refuses a call that came with a session's cookie and without its proof, for example from another
 * port of the host, which gets the cookie too (security.md 39). Rejects with `session_unproven`.
 * Audits `session.refused`, unless it was recorded just now.
 */
export async function refuseUnproven(
  ctx: ServiceContext,
  input: {
    readonly unproven: UnprovenSession
    readonly channel: Channel
    readonly isRecorded: boolean
  },
): Promise<never> {
  const { sessionId, personId, why } = input.unproven
  if (!input.isRecorded) {
    const detail = { method: 'session', why, sessionId, personId }
    await inUnitOfWork(ctx, byVisitor('sign-in', input.channel), (unit) =>
      unit.audit({ type: 'session.refused', detail }),
    )
  }
  throw new Problem('session_unproven', unprovenSentences[why])
}

/** Why a session's cookie alone is not enough. */
const unprovenSentences = {
  no_proof:
    'This browser no longer has the key that proves your session, because the stored data of this site was deleted. Sign in again',
  program_in_browser:
    'This session belongs to a program, and no browser can use it: sign in on the page of this service',
} as const
