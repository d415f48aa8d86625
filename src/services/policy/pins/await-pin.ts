import { setTimeout as delay } from 'node:timers/promises'
import type { Policy } from '#policy/policy.ts'
import { type McpListing, hashOfDefinition, type McpDefinition } from '#tools/mcp/mcp-protocol.ts'
import type { Pin } from '#tools/mcp/mcp-pins.ts'
import type { ServiceContext } from '../../core/context.ts'
import { sequenceOfVersion } from '../activations/sequence-of-version.ts'
import { readPin, type PinnedServer, type StoredPin } from './read-pin.ts'
import { sql } from 'kysely'
import { canonicalJson } from '#domain/json/digest.ts'
import { putContent } from '#store/content/content.ts'

/** The API asks for missing pins every second; after this time the calls ask people. */
const waitMs = 6000
const lookEveryMs = 200
/** After this time the same missing pin is awaited again. */
const forgetAfterMs = 10_000

/**
 * Reads pins for a host's servers. A pin that the API has not signed yet, while the server answers,
 * is awaited for a moment: the first run after an activation should not ask about calls that its
 * file pre-approves.
 */
export function pinReader(ctx: Pick<ServiceContext, 'db' | 'verifier' | 'log'>) {
  const gaveUp = new Map<string, number>()

  return async function awaitPin(
    policy: Policy,
    server: PinnedServer,
    listing: McpListing | null,
  ): Promise<Pin> {
    const activation = await sequenceOfVersion(ctx.db, ctx.verifier, policy.digest)
    if (activation === null) return { state: 'none' }
    const key = JSON.stringify([activation, server])
    const began = performance.now()
    const until = began + (began - (gaveUp.get(key) ?? -Infinity) < forgetAfterMs ? 0 : waitMs)
    for (;;) {
      const pin = await readPin(ctx, activation, server)
      if (pin.state === 'pinned' && listing !== null) await storeChange(ctx, pin, listing.tools)
      if (pin.state === 'forged') {
        ctx.log.error({ activation, worker: server.worker, server: server.name }, pin.problem)
      }
      if (pin.state !== 'none' || listing === null) return pin
      if (performance.now() >= until) break
      await delay(lookEveryMs)
    }
    gaveUp.set(key, performance.now())
    return { state: 'none' }
  }
}

/**
 * Stores a server's present definitions when they differ from the pin: people see the difference,
 * and the same version can be activated again. It permits nothing: somebody who writes this row can
 * only make people look.
 */
async function storeChange(
  ctx: Pick<ServiceContext, 'db'>,
  pin: Extract<StoredPin, { state: 'pinned' }>,
  now: readonly McpDefinition[],
): Promise<void> {
  if (hashesOf(pin.definitions) === hashesOf(now)) return
  const { activation, worker, server } = pin.statement
  await ctx.db.transaction().execute(async (tx) => {
    const hash = await putContent(tx, canonicalJson(now))
    if (hash === pin.changedHash) return
    await tx
      .updateTable('mcp_pin')
      .set({ changed_at: sql<Date>`clock_timestamp()`, changed_hash: hash })
      .where('activation', '=', activation)
      .where('worker', '=', worker)
      .where('server', '=', server)
      .execute()
  })
}

function hashesOf(tools: readonly McpDefinition[]): string {
  return tools.map(hashOfDefinition).toSorted().join(' ')
}
