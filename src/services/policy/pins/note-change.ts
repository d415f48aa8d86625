import { sql } from 'kysely'
import { canonicalJson } from '../../../domain/digest.ts'
import { putContent } from '../../../store/content/content.ts'
import { hashOfDefinition } from '../../../tools/mcp/definition-hash.ts'
import type { McpDefinition } from '../../../tools/mcp/mcp-protocol.ts'
import type { ServiceContext } from '../../context.ts'
import type { PinAtHand } from './read-pin.ts'

/**
 * Keeps what a server says by now when that is not what is pinned: people are shown the difference, and the same version
 * can be activated again. It loosens nothing: whoever writes this row can only have people look.
 */
export async function noteChange(
  ctx: Pick<ServiceContext, 'db'>,
  pin: Extract<PinAtHand, { state: 'pinned' }>,
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
