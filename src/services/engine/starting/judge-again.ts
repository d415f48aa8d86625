import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Json } from '#domain/json/json.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { forgedPinRuleId } from '#policy/judge/calls/resolve-tool.ts'
import { placeOfRun } from '../../core/run-place.ts'
import type { RunTerms } from '../../core/run-terms.ts'
import { judgeOne } from '../judging/judge-one.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { refusedUnsigned } from '../attempts/refusals.ts'
import type { CallAtHand } from '../attempts/call-at-hand.ts'
import type { Refusal } from '../attempts/execution-plan.ts'
import { invocationOf } from '../../requests/people/principals-of-call.ts'

/**
 * The judgement of a call that is about to run. `tool`: it may run; else `refused` says why not.
 */
export type FreshJudgement = { readonly workspace: Workspace; readonly judgement: Judgement } & (
  | { readonly tool: Tool; readonly refused: null }
  | { readonly tool: null; readonly refused: Refusal }
)

/**
 * Judges a call again right before it runs, by the policy in force and the signed mode
 * (architecture.md, policy in time). It refuses what policy blocks now, what can no longer run, and
 * what depends on a forged pin.
 */
export async function judgeAgain(
  ctx: WorkerContext,
  at: CallAtHand,
  question: {
    readonly terms: RunTerms
    readonly tool: string
    readonly input: Json
    /** whether a grant may replace a person's approval */
    readonly canUseGrants: boolean
    readonly permitId: string | null
  },
): Promise<FreshJudgement> {
  const { terms, permitId } = question
  const place = placeOfRun(at.run)
  const registry = await ctx.registryOf(terms.policy, at.run.worker, [question.tool], place)
  const workspace = await ctx.workspaceOf(place, terms.policy)
  const judgement = await judgeOne(ctx, {
    run: at.run,
    terms,
    registry,
    tool: question.tool,
    input: question.input,
    hasDuplicateId: false,
    invocation: invocationOf(at.call),
    approvedCallId: at.call.id,
    canUseGrants: question.canUseGrants,
    assumed: { workspace, earlierWrites: new Set() },
  })
  const base = { workspace, judgement }
  if (judgement.rule?.id === forgedPinRuleId) {
    return { ...base, tool: null, refused: refusedUnsigned('invalid_statement', 'pin', permitId) }
  }
  const { policyDigest, reason: text } = judgement
  const common = { kind: 'refuse', permitId, policyDigest } as const
  if (judgement.verdict === 'blocked') {
    const then = { next: 'result', type: 'blocked', text } as const
    const detail = judgement.rule?.id ?? 'policy'
    return { ...base, tool: null, refused: { ...common, reason: 'blocked', detail, then } }
  }
  const tool = registry.get(question.tool)
  if (judgement.verdict === 'error' || tool === undefined) {
    const then = { next: 'result', type: 'error', text } as const
    const detail = 'can no longer run'
    return { ...base, tool: null, refused: { ...common, reason: 'stale', detail, then } }
  }
  return { ...base, tool, refused: null }
}
