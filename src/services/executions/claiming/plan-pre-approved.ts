import { callDigest } from '../../../domain/digest.ts'
import type { Judgement } from '../../../domain/judgement.ts'
import type { Json } from '../../../domain/json.ts'
import type { CallFacts } from '../../../domain/request.ts'
import type { Tool, Workspace } from '../../../domain/tool.ts'
import { getText } from '../../../store/content/content.ts'
import { strictRuleId } from '../../turns/judging/judge-one.ts'
import { strictText } from '../../runs/transcript/result-texts.ts'
import { termsOf } from '../../runs/starting/run-terms.ts'
import type { WorkerContext } from '../../worker-context.ts'
import type { CallAtHand } from './call-at-hand.ts'
import { basesNow } from './check-bases.ts'
import type { ExecutionPlan, Refusal } from './execution-plan.ts'
import { judgeAgain } from './judge-again.ts'
import { refusedUnsigned } from '../refusing/refusals.ts'

/** A call that was pre-approved asks by now: it is opened as a request, and no attempt was refused. */
export interface AsksByNow {
  readonly kind: 'asks'
  readonly judgement: Judgement
}

/**
 * Judges a call that nobody was asked about once more, by the policy in force and the signed mode (architecture.md,
 * policy in time): it runs only if it still need not be asked.
 */
export async function planPreApproved(
  ctx: WorkerContext,
  at: CallAtHand,
): Promise<ExecutionPlan | Refusal | AsksByNow> {
  const terms = await termsOf(ctx, at.run)
  if (terms.statement === null) return refusedUnsigned('invalid_statement', 'run', null)
  const input = JSON.parse(await getText(ctx.db, at.call.input_hash)) as Json
  const again = { terms, tool: at.call.tool, input, grants: true, permitId: null }
  const { tool, workspace, judgement, refused } = await judgeAgain(ctx, at, again)
  if (tool === null) return deniedByMode(judgement, refused)
  if (judgement.verdict === 'ask') return { kind: 'asks', judgement }
  return {
    kind: 'run',
    tool,
    input: judgement.input,
    inputHash: null,
    facts: await factsNow(tool, judgement, workspace),
    digest: callDigest({
      tool: tool.name,
      input: judgement.input,
      toolHash: judgement.toolHash,
    }),
    policyDigest: judgement.policyDigest,
    authority:
      judgement.grantId === null ? { by: 'policy' } : { by: 'grant', grantId: judgement.grantId },
    workspace,
    judgement,
    terms,
  }
}

/** What the mode "strict" blocks, the model reads as a denial (product.md 21). */
function deniedByMode({ rule, reason }: Judgement, refused: Refusal): Refusal {
  if (rule?.id !== strictRuleId) return refused
  return { ...refused, then: { next: 'result', type: 'denied', text: strictText(reason) } }
}

/**
 * What the execution compares with. A command that somebody's remembered approval lets run rests on what that approval
 * rests on; whatever else nobody was asked about, on the files it would change.
 */
async function factsNow(
  tool: Tool,
  { grantId, input, toolHash }: Judgement,
  workspace: Workspace,
): Promise<CallFacts> {
  const rested = grantId === null ? undefined : await tool.restsOn?.(input, workspace)
  return rested ?? { toolHash, bases: await basesNow(workspace, tool.accesses(input)) }
}
