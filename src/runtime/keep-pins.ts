import { Repeating } from '../delivery/repeating.ts'
import type { SigningContext } from '../services/context.ts'
import { errorText } from '../services/error-text.ts'
import type { HeardServer } from '../services/policy/pins/heard-server.ts'
import { pinDefinitions } from '../services/policy/pins/pin-definitions.ts'

/** A run that needs a server right after an activation waits for its pin: this is how soon it comes. */
const roundEveryMs = 1000
/** A server that does not answer is not asked all the time. */
const askAgainMs = 5000
/** How often a failure that lasts is logged. */
const logEveryMs = 60_000

/**
 * Pins what the MCP servers of the version in force say, as soon as they are heard after an activation. Only the API can
 * sign, and it runs no project code: `ask` has the host of the workspace listen.
 */
export function keepPins(
  ctx: SigningContext,
  ask: (worker: string) => Promise<readonly HeardServer[]>,
): AsyncDisposable {
  let loggedAt = 0
  // Who stops does not wait for a host that may be away: what it would have said is asked again at the next start.
  const closing = Promise.withResolvers<readonly HeardServer[]>()
  const asked = new Map<string, number>()
  const askedNow = async (worker: string): Promise<readonly HeardServer[]> => {
    if (Date.now() - (asked.get(worker) ?? 0) < askAgainMs) return []
    const heard = await Promise.race([ask(worker), closing.promise])
    // Whoever was not heard is asked again a little later; whoever was is asked no more.
    if (heard.some((one) => one.definitionsHash === null)) asked.set(worker, Date.now())
    return heard
  }
  const rounds = new Repeating({
    everyMs: roundEveryMs,
    work: async () => void (await pinDefinitions(ctx, askedNow)),
    failed: (error) => {
      if (Date.now() - loggedAt < logEveryMs) return
      loggedAt = Date.now()
      ctx.log.warn({ error: errorText(error) }, 'what MCP servers say could not be pinned yet')
    },
  })
  return {
    async [Symbol.asyncDispose]() {
      closing.resolve([])
      await rounds[Symbol.asyncDispose]()
    },
  }
}
