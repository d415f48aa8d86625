import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/** Ends the caller's session. Ending one that is over changes nothing. */
export async function endSession(
  ctx: ServiceContext,
  caller: Caller,
  input: { tokenHash: string },
): Promise<void> {
  await inUnitOfWork(ctx, async (unit) => {
    const ended = await unit.tx
      .deleteFrom('session')
      .where('token_hash', '=', input.tokenHash)
      .returning(['person_id', 'id'])
      .executeTakeFirst()
    if (ended === undefined) return
    await unit.audit({
      type: 'session.ended',
      actor: caller.actor,
      channel: caller.channel,
      detail: { personId: ended.person_id, sessionId: ended.id, why: 'signed_out' },
    })
  })
}
