import { setTimeout as delay } from 'node:timers/promises'
import { measureTime } from '../core/elapsed-time.ts'
import type { SystemContext } from '../core/context.ts'
import { readCallToMake } from './call-to-make.ts'

const everyMs = 500
/**
 * Longer than a host needs to learn that nobody waits for its try, to stop it, and to store how it
 * ended.
 */
const otherTryMs = 30_000

/**
 * Waits for the end of a call that another try has begun, such as one whose host stood still and
 * goes on. Resolves at once if none has begun it. Rejects if the call has no end in half a minute:
 * then `settleGatewayCall` asks people about it.
 */
export async function awaitOtherTry(
  ctx: SystemContext,
  { requestId, signal }: { readonly requestId: string; readonly signal: AbortSignal },
): Promise<void> {
  const elapsedMs = measureTime()
  for (;;) {
    const at = await readCallToMake(ctx.db, requestId)
    if (at === null || at.external.consumed_at === null) return
    if (at.external.outcome !== null || at.call.refusal !== null) return
    if (elapsedMs() > otherTryMs) {
      throw new Error(`Another try began call ${requestId}, and did not end it`)
    }
    await delay(everyMs, undefined, { signal })
  }
}
