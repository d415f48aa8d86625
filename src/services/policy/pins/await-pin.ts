import { setTimeout as delay } from 'node:timers/promises'
import type { Policy } from '../../../policy/policy.ts'
import type { McpListing } from '../../../tools/mcp/mcp-protocol.ts'
import type { Pin } from '../../../tools/mcp/mcp-servers.ts'
import type { ServiceContext } from '../../context.ts'
import { noteChange } from './note-change.ts'
import { activationOf, readPin, type PinnedServer } from './read-pin.ts'

/** The API asks for missing pins every second; longer is not waited, and the calls ask. */
const waitMs = 6000
const lookEveryMs = 200
/** After that the same missing pin is worth another wait. */
const forgetAfterMs = 10_000

/**
 * Reads pins for a host's servers. One that the API has not signed yet, while the server answers, is waited for a
 * moment: the first run after an activation should not ask about what its file pre-approves.
 */
export function pinReader(ctx: Pick<ServiceContext, 'db' | 'verifier' | 'log'>) {
  const gaveUp = new Map<string, number>()

  return async function awaitPin(
    policy: Policy,
    server: PinnedServer,
    listing: McpListing | null,
  ): Promise<Pin> {
    const activation = await activationOf(ctx, policy.digest)
    if (activation === null) return { state: 'none' }
    const key = JSON.stringify([activation, server])
    const began = Date.now()
    const until = began + (began - (gaveUp.get(key) ?? 0) < forgetAfterMs ? 0 : waitMs)
    for (;;) {
      const pin = await readPin(ctx, activation, server)
      if (pin.state === 'pinned' && listing !== null) await noteChange(ctx, pin, listing.tools)
      if (pin.state === 'forged') {
        ctx.log.error({ activation, worker: server.worker, server: server.name }, pin.problem)
      }
      if (pin.state !== 'none' || listing === null) return pin
      if (Date.now() >= until) break
      await delay(lookEveryMs)
    }
    gaveUp.set(key, Date.now())
    return { state: 'none' }
  }
}
