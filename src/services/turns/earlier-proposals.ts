import type { Json } from '../../domain/json.ts'
import type { ToolRegistry } from '../../domain/tool.ts'
import { getTexts } from '../../store/content/content.ts'
import type { WorkerContext } from '../worker-context.ts'
import { otherCalls } from './other-calls.ts'
import type { TurnProposals } from './turn-proposals.ts'

/** What the earlier calls of the turn, as far as they have no result yet, will write. */
export async function addEarlier(
  ctx: WorkerContext,
  callId: string,
  proposals: TurnProposals,
  registry: ToolRegistry,
): Promise<void> {
  const earlier = await otherCalls(ctx.db, callId, '<')
    .select(['other.position', 'other.tool', 'other.input_hash'])
    .select('revision.input_hash as asked_hash')
    .where('other.result_type', 'is', null)
    .where('other.verdict', 'in', ['ask', 'preApproved'])
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
