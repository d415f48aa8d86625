import type { Json } from '#domain/json/json.ts'
import type { ToolRegistry } from '#domain/tools/tool.ts'
import { getTexts } from '#store/content/content.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import type { TurnProposals } from './turn-proposals.ts'
import type { Db } from '#store/database.ts'

/** Adds what the earlier calls of the turn that have no result yet will write. */
export async function addEarlier(
  ctx: WorkerContext,
  callId: string,
  proposals: TurnProposals,
  registry: ToolRegistry,
): Promise<void> {
  const calls = await siblingCalls(ctx.db, callId, '<')
    .select(['other.position', 'other.tool', 'other.input_hash'])
    .select('revision.input_hash as approved_hash')
    .where('other.result_type', 'is', null)
    .where('other.verdict', 'in', ['ask', 'preApproved'])
    .execute()
  const texts = await getTexts(
    ctx.db,
    calls.map((call) => call.approved_hash ?? call.input_hash),
  )
  const signal = new AbortController().signal
  for (const call of calls) {
    const tool = registry.get(call.tool)
    if (tool === undefined) continue
    const input = JSON.parse(texts.get(call.approved_hash ?? call.input_hash) ?? 'null') as Json
    const parsedInput = await tool.parse(input)
    if (!parsedInput.ok) continue
    const accesses = tool.accesses(parsedInput.input)
    const below = await proposals.below(async () => accesses)
    proposals.add(call.position, accesses, async () => {
      const presented = await tool.present(parsedInput.input, {
        workspace: below.workspace,
        signal,
      })
      return presented.proposes
    })
  }
}

/**
 * The calls of the same turn before (`'<'`) or after (`'>'`) a call, in order, each with its newest
 * request and its presentation. The caller selects the columns of `other`, `request` and
 * `revision`.
 */
export function siblingCalls(db: Db, callId: string, side: '<' | '>') {
  return db
    .selectFrom('tool_call as own')
    .innerJoin('tool_call as other', (join) =>
      join
        .onRef('other.run_id', '=', 'own.run_id')
        .onRef('other.turn', '=', 'own.turn')
        .onRef('other.position', side, 'own.position'),
    )
    .leftJoin('request', 'request.id', 'other.request_id')
    .leftJoin('request_revision as revision', (join) =>
      join
        .onRef('revision.request_id', '=', 'request.id')
        .onRef('revision.revision', '=', 'request.revision'),
    )
    .where('own.id', '=', callId)
    .orderBy('other.position')
}
