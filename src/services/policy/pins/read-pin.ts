import { sql } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import type { PinStatement } from '#domain/statements/statement.ts'
import { ContentChanged, getText } from '#store/content/content.ts'
import type { Db, Tx } from '#store/database.ts'
import type { McpDefinition } from '#tools/mcp/mcp-protocol.ts'
import type { Pin } from '#tools/mcp/mcp-pins.ts'
import type { ServiceContext } from '../../core/context.ts'
import { verifyPin } from './verify-pin.ts'

/** A server of a worker. `hash` is of its address or command: pins of another do not count. */
export interface PinnedServer {
  readonly worker: string
  readonly name: string
  readonly hash: string
}

/** A pin with its signed statement, and what was seen since. */
export type StoredPin =
  | Exclude<Pin, { readonly state: 'pinned' }>
  | (Extract<Pin, { readonly state: 'pinned' }> & {
      readonly statement: PinStatement
      readonly changedAt: Date | null
      /** hash, in `content`, of the definitions seen then */
      readonly changedHash: string | null
    })

/**
 * The pin of a server by an activation. `none`: it was not asked since. `forged`: the row is not
 * what the API signed, or is missing though the trail has it; then nothing of the server may run
 * (security.md 13).
 */
export async function readPin(
  ctx: Pick<ServiceContext, 'db' | 'verifier'>,
  activation: number,
  server: PinnedServer,
): Promise<StoredPin> {
  const row = await ctx.db
    .selectFrom('mcp_pin')
    .selectAll()
    .where('activation', '=', activation)
    .where('worker', '=', server.worker)
    .where('server', '=', server.name)
    .executeTakeFirst()
  if (row === undefined) {
    return (await wasPinned(ctx.db, activation, server))
      ? forgedPin(server, 'has gone from the database')
      : { state: 'none' }
  }
  const statement = verifyPin(ctx.verifier, row)
  if (statement === null || statement.serverHash !== server.hash) {
    return forgedPin(server, 'was made or changed in the database')
  }
  try {
    const text = await getText(ctx.db, statement.definitionsHash)
    const definitions = JSON.parse(text) as McpDefinition[]
    const { changed_at: changedAt, changed_hash: changedHash } = row
    return { state: 'pinned', definitions, statement, changedAt, changedHash }
  } catch (error) {
    if (error instanceof ContentChanged) return forgedPin(server, 'was changed in the database')
    throw error
  }
}

/** Whether the trail says that a signed pin was stored: a missing one was removed. */
async function wasPinned(
  db: Db | Tx,
  activation: number,
  { worker, name }: PinnedServer,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from audit_event
    where type = 'policy.pinned'
      and ${eventDocument} -> 'detail' @> ${JSON.stringify({ activation, worker, server: name })}::jsonb
      and ${eventDocument} -> 'detail' ? 'definitionsHash'
    limit 1
  `.execute(db)
  return rows.length > 0
}

function forgedPin({ name }: PinnedServer, what: string): Extract<Pin, { state: 'forged' }> {
  return {
    state: 'forged',
    problem: `what the MCP server ${name} is pinned to ${what}, and is not what this service signed: nothing of it runs until a person activates the version again (countersign policy activate)`,
  }
}
