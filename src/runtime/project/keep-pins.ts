import type { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { RepeatedWork, warnWith } from '#delivery/repeated-work.ts'
import type { ServerDefinitions } from '#services/core/host-queries.ts'
import { pinDefinitions } from '#services/policy/pins/pin-definitions.ts'
import type { SigningSystemContext } from '#services/core/context.ts'

/** How soon a pin comes: a run that needs a server right after an activation waits for it. */
const busyRoundEveryMs = 1000
/** While every server is pinned: an activation is an event of the trail, and wakes it. */
const quietRoundEveryMs = 60_000
/** Rounds that the trail wakes are at least so far apart. */
const gatherMs = 200
/** The pause before a server that does not answer is asked again. */
const askAgainMs = 5000
/** How often a failure that lasts is logged. */
const reportEveryMs = 60_000

/**
 * Pins the tool definitions of the MCP servers of the version in force, as soon as they answer
 * after an activation. Only the API can sign, and it runs no project code: `ask` makes the host of
 * the workspace ask the servers.
 */
export function keepPins(
  ctx: SigningSystemContext,
  ask: (worker: string) => Promise<readonly ServerDefinitions[]>,
  trail: TrailNotifications,
): AsyncDisposable {
  // A stopping process does not wait for a host that may be offline: it asks again at the next
  // start.
  const closing = Promise.withResolvers<readonly ServerDefinitions[]>()
  const askedAt = new Map<string, number>()
  const askDue = async (worker: string): Promise<readonly ServerDefinitions[]> => {
    if (performance.now() - (askedAt.get(worker) ?? -Infinity) < askAgainMs) return []
    const servers = await Promise.race([ask(worker), closing.promise])
    // Only hosts that did not answer are asked again later.
    if (servers.some((server) => server.definitionsHash === null))
      askedAt.set(worker, performance.now())
    return servers
  }
  let isQuiet = false
  const rounds = new RepeatedWork({
    everyMs: () => {
      const connected = isQuiet ? quietRoundEveryMs : busyRoundEveryMs
      return trail.restMs({ connected, lost: busyRoundEveryMs })
    },
    gatherMs,
    work: async () => {
      isQuiet = false
      isQuiet = (await pinDefinitions(ctx, askDue)) === 0
    },
    reportEveryMs,
    onError: warnWith(ctx.log, 'the tools of MCP servers could not be pinned yet; it is retried'),
  })
  trail.onEvents(() => rounds.wake())
  return {
    async [Symbol.asyncDispose]() {
      closing.resolve([])
      await rounds[Symbol.asyncDispose]()
    },
  }
}
