import { sql } from 'kysely'
import { canonicalJson } from '../../domain/digest.ts'
import type { Json } from '../../domain/json.ts'
import type { Policy } from '../../policy/policy.ts'
import { getText, putContent } from '../../store/content.ts'
import type { Db, Tx } from '../../store/database.ts'
import { hashOfDefinition } from '../../tools/mcp/definition-hash.ts'
import type { McpDefinition, McpListing } from '../../tools/mcp/mcp-protocol.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

const caller: Caller = { actor: { type: 'system', name: 'executor' }, channel: 'workflow' }

/** A server of a worker; `hash` says how it is reached, so that pins of another address or command do not count. */
export interface PinnedServer {
  readonly worker: string
  readonly name: string
  readonly hash: string
}

/**
 * The definitions that an activated version stands for. The first listing after its activation is pinned, and audited
 * as `policy.pinned`; later ones change nothing, but that a difference is noted, so that activating the version again
 * is an activation. `null`: the version was never activated, or the server has not answered since.
 */
export async function pinDefinitions(
  ctx: ServiceContext,
  policy: Policy,
  server: PinnedServer,
  listing: McpListing | null,
): Promise<readonly McpDefinition[] | null> {
  const activation = await activationOf(ctx.db, policy.digest)
  if (activation === null) return null
  const before = await readPin(ctx.db, activation, server)
  if (before === null && listing === null) return null
  const pin = before ?? (await pinFirst(ctx, policy, { activation, server, listing }))
  const definitions = JSON.parse(await getText(ctx.db, pin.definitions_hash)) as McpDefinition[]
  if (pin.server_hash !== server.hash) return []
  if (listing !== null && pin.changed_at === null && differ(definitions, listing.tools)) {
    await ctx.db
      .updateTable('mcp_pin')
      .set({ changed_at: sql<Date>`clock_timestamp()` })
      .where('activation', '=', activation)
      .where('worker', '=', server.worker)
      .where('server', '=', server.name)
      .execute()
  }
  return definitions
}

/** Whether a server has changed what it says since the activation: then the same version can be activated again. */
export async function hasChangedDefinitions(tx: Tx, activation: number): Promise<boolean> {
  const changed = await tx
    .selectFrom('mcp_pin')
    .select('server')
    .where('activation', '=', activation)
    .where('changed_at', 'is not', null)
    .executeTakeFirst()
  return changed !== undefined
}

async function activationOf(db: Db, digest: string): Promise<number | null> {
  const row = await db
    .selectFrom('policy_activation')
    .select('sequence')
    .where('digest', '=', digest)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.sequence ?? null
}

async function readPin(db: Db | Tx, activation: number, server: PinnedServer) {
  const row = await db
    .selectFrom('mcp_pin')
    .select(['server_hash', 'definitions_hash', 'changed_at'])
    .where('activation', '=', activation)
    .where('worker', '=', server.worker)
    .where('server', '=', server.name)
    .executeTakeFirst()
  return row ?? null
}

async function pinFirst(
  ctx: ServiceContext,
  policy: Policy,
  pinning: {
    readonly activation: number
    readonly server: PinnedServer
    readonly listing: McpListing | null
  },
) {
  const { activation, server, listing } = pinning
  const tools = listing?.tools ?? []
  return inUnitOfWork(ctx, async (unit) => {
    const inserted = await unit.tx
      .insertInto('mcp_pin')
      .values({
        activation,
        worker: server.worker,
        server: server.name,
        server_hash: server.hash,
        definitions_hash: await putContent(unit.tx, canonicalJson(tools as unknown as Json)),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('server')
      .executeTakeFirst()
    if (inserted !== undefined) {
      await unit.audit({
        type: 'policy.pinned',
        actor: caller.actor,
        channel: caller.channel,
        policyDigest: policy.digest,
        detail: {
          activation,
          worker: server.worker,
          server: server.name,
          tools: tools.length,
          definitions: Object.fromEntries(
            tools.slice(0, 200).map((tool) => [tool.name, hashOfDefinition(tool)]),
          ),
        },
      })
    }
    const pin = await readPin(unit.tx, activation, server)
    if (pin === null) throw new Error(`The pins of ${server.name} are gone`)
    return pin
  })
}

function differ(pinned: readonly McpDefinition[], now: readonly McpDefinition[]): boolean {
  const hashes = (tools: readonly McpDefinition[]): string =>
    tools.map(hashOfDefinition).toSorted().join(' ')
  return hashes(pinned) !== hashes(now)
}
