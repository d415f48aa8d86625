import { callDigest } from '../../../domain/digest.ts'
import type { Judgement } from '../../../domain/judgement.ts'
import type { Json } from '../../../domain/json.ts'
import type { CallFacts } from '../../../domain/request.ts'
import type { Tool, Workspace } from '../../../domain/tool.ts'
import { forgedPinRuleId } from '../../../policy/judge/known-call.ts'
import { getText } from '../../../store/content.ts'
import { judgeOne, strictRuleId } from '../../turns/judge-one.ts'
import { strictText } from '../../runs/transcript/result-texts.ts'
import { termsOf } from '../../runs/run-terms.ts'
import type { WorkerContext } from '../../worker-context.ts'
import type { CallAtHand } from './call-at-hand.ts'
import { basesNow } from './check-bases.ts'
import type { ExecutionPlan, Refusal } from './execution-plan.ts'
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
  const { policy, statement } = terms
  if (statement === null) return refusedUnsigned('invalid_statement', 'run', null)
  const registry = await ctx.registryOf(policy, at.run.worker)
  const workspace = await ctx.workspaceOf({ taskQueue: at.run.task_queue }, policy)
  const judgement = await judgeOne(ctx, {
    run: at.run,
    terms,
    registry,
    tool: at.call.tool,
    input: JSON.parse(await getText(ctx.db, at.call.input_hash)) as Json,
    duplicateId: false,
    byPerson: at.call.manual,
    grants: true,
    assumed: { workspace, earlierWrites: new Set() },
  })
  const refused = { kind: 'refuse' as const, permitId: null, policyDigest: judgement.policyDigest }
  if (judgement.rule?.id === forgedPinRuleId) {
    return refusedUnsigned('invalid_statement', 'pin', null)
  }
  if (judgement.verdict === 'blocked') {
    const strict = judgement.rule?.id === strictRuleId
    return {
      ...refused,
      reason: 'blocked',
      detail: judgement.rule?.id ?? 'policy',
      then: strict
        ? { next: 'result', type: 'denied', text: strictText(judgement.reason) }
        : { next: 'result', type: 'blocked', text: judgement.reason },
    }
  }
  const tool = registry.get(at.call.tool)
  if (judgement.verdict === 'error' || tool === undefined) {
    return {
      ...refused,
      reason: 'stale',
      detail: 'cannot run any more',
      then: { next: 'result', type: 'error', text: judgement.reason },
    }
  }
  if (judgement.verdict === 'ask') return { kind: 'asks', judgement }
  const { input, toolHash } = judgement
  return {
    kind: 'run',
    tool,
    input,
    inputHash: null,
    facts: await factsNow(tool, judgement, workspace),
    digest: callDigest({ tool: tool.name, input, toolHash }),
    policyDigest: judgement.policyDigest,
    authority:
      judgement.grantId === null ? { by: 'policy' } : { by: 'grant', grantId: judgement.grantId },
    workspace,
    judgement,
    terms,
  }
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
