import type { Json } from '../../domain/json.ts'
import type { ToolRegistry } from '../../domain/tool.ts'
import { getTexts } from '../../store/content.ts'
import type { WorkerContext } from '../worker-context.ts'
import type { TurnProposals } from './turn-proposals.ts'

/** What the earlier calls of the turn, as far as they have no result yet, will write. */
export async function addEarlier(
  ctx: WorkerContext,
  callId: string,
  proposals: TurnProposals,
  registry: ToolRegistry,
): Promise<void> {
  const earlier = await ctx.db
    .selectFrom('tool_call as own')
    .innerJoin('tool_call as earlier', (join) =>
      join
        .onRef('earlier.run_id', '=', 'own.run_id')
        .onRef('earlier.turn', '=', 'own.turn')
        .onRef('earlier.position', '<', 'own.position'),
    )
    .leftJoin('request', 'request.id', 'earlier.request_id')
    .leftJoin('request_revision as revision', (join) =>
      join
        .onRef('revision.request_id', '=', 'request.id')
        .onRef('revision.revision', '=', 'request.revision'),
    )
    .select(['earlier.position', 'earlier.tool', 'earlier.input_hash'])
    .select('revision.input_hash as asked_hash')
    .where('own.id', '=', callId)
    .where('earlier.result_type', 'is', null)
    .where('earlier.verdict', 'in', ['ask', 'preApproved'])
    .orderBy('earlier.position')
    .execute()
  const texts = await getTexts(
    ctx.db,
    earlier.map((call) => call.asked_hash ?? call.input_hash),
  )
  const signal = new AbortController().signal
  for (const call of earlier) {
    const tool = registry.get(call.tool)
    if (tool === undefined) continue
    const input = JSON.parse(texts.get(call.asked_hash ?? call.input_hash) ?? 'null') as Json
    const parsed = await tool.parse(input)
    if (!parsed.ok) continue
    const accesses = tool.accesses(parsed.input)
    const below = await proposals.below(accesses)
    proposals.add(call.position, accesses, async () => {
      const presented = await tool.present(parsed.input, { workspace: below.workspace, signal })
      return presented.proposes
    })
  }
}
