import { callDigest } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Json } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Tool } from '#domain/tools/tool.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { strictRuleId } from '../judging/judge-one.ts'
import { strictText } from '../../transcript/result-texts.ts'
import { termsOf } from '../../core/run-terms.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import type { CallAtHand } from '../attempts/call-at-hand.ts'
import { basesNow } from '../attempts/check-bases.ts'
import type { ExecutionPlan, Refusal } from '../attempts/execution-plan.ts'
import { judgeAgain } from './judge-again.ts'
import { readInputText, withPolicyOf, type PlanReadings } from './read-to-plan.ts'
import { refusedUnsigned } from '../attempts/refusals.ts'

/** A call that was pre-approved needs a request now; no attempt was refused. */
export interface PolicyNowAsks {
  readonly kind: 'asks'
  readonly judgement: Judgement
}

/**
 * Judges a call without a request again, by the policy in force and the signed mode
 * (architecture.md, policy in time): it runs only if it still needs no request.
 */
export async function planPreApproved(
  ctx: WorkerContext,
  at: CallAtHand,
  readings: PlanReadings,
): Promise<ExecutionPlan | Refusal | PolicyNowAsks> {
  try {
    return await planBy(ctx, at, readings, { canUseGrants: true })
  } catch (error) {
    if (!(error instanceof ToolProblem)) throw error
    // By now the command names too much, so that no grant covers it.
    return planBy(ctx, at, readings, { canUseGrants: false })
  }
}

async function planBy(
  ctx: WorkerContext,
  at: CallAtHand,
  readings: PlanReadings,
  { canUseGrants }: { readonly canUseGrants: boolean },
): Promise<ExecutionPlan | Refusal | PolicyNowAsks> {
  const terms = await termsOf(withPolicyOf(ctx, readings), at.run)
  if (terms.statement === null) return refusedUnsigned('invalid_statement', 'run', null)
  const input = JSON.parse(await readInputText(ctx, at.call.input_hash, readings)) as Json
  const question = { terms, tool: at.call.tool, input, canUseGrants, permitId: null }
  const { tool, workspace, judgement, refused: refusal } = await judgeAgain(ctx, at, question)
  if (tool === null) return deniedByMode(judgement, refusal)
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
    authorisation:
      judgement.grantId === null ? { by: 'policy' } : { by: 'grant', grantId: judgement.grantId },
    workspace,
    judgement,
    terms,
  }
}

/** A block by the mode `strict` is a denial to the model (product.md 21). */
function deniedByMode({ tool, rule, reason }: Judgement, refusal: Refusal): Refusal {
  if (rule?.id !== strictRuleId) return refusal
  return { ...refusal, then: { next: 'result', type: 'denied', text: strictText(tool, reason) } }
}

/**
 * The facts that the execution compares with: for a command that a grant allows, those of the
 * grant; for any other call without a request, the files that it would change.
 */
async function factsNow(
  tool: Tool,
  { grantId, input, toolHash }: Judgement,
  workspace: Workspace,
): Promise<CallFacts> {
  const rested = grantId === null ? undefined : await tool.restsOn?.(input, workspace)
  return rested ?? { toolHash, bases: await basesNow(workspace, tool.accesses(input)) }
}
